/** The single origin of Meta for both Facebook and Instagram: forwards each call to the platform that it concerns. */
import { bearer, DROPPED, startWire, type Wire, type WireCall, type WireOptions } from '../fakes/wire.ts';

/** Headers that describe the body of a call or its response. */
const OF_CALLS = ['authorization', 'content-type'];
const OF_ANSWERS = ['content-type', 'location', 'retry-after'];

/** @param isInstagram whether a token or URL belongs to Instagram */
export function startMetaFront(
  options: WireOptions,
  urls: { readonly facebook: string; readonly instagram: string },
  isInstagram: (said: string) => boolean,
): Promise<Wire> {
  return startWire(options, async (call) => {
    const { method, path, query, bytes } = call;
    const headers = OF_CALLS.flatMap((name): [string, string][] => {
      const value = call.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    });
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: new Uint8Array(bytes) };
    const to = identifyingValues(call).some(isInstagram) ? urls.instagram : urls.facebook;
    try {
      const answer = await fetch(`${to}${path}?${query.toString()}`, { method, headers, redirect: 'manual', ...body });
      const said = OF_ANSWERS.flatMap((name): [string, string][] => {
        const value = answer.headers.get(name);
        return value === null ? [] : [[name, value]];
      });
      return {
        status: answer.status,
        bytes: Buffer.from(await answer.arrayBuffer()),
        headers: Object.fromEntries(said),
      };
    } catch {
      return DROPPED;
    }
  });
}

/** The values that show which platform a call concerns: its token, the redirect URI, the token to exchange. */
function identifyingValues(call: WireCall): string[] {
  const isExchange = call.path.endsWith('/oauth/access_token');
  const form = new URLSearchParams(isExchange ? call.bytes.toString() : '');
  return [bearer(call), ...[call.query, form].flatMap((all) => [all.get('redirect_uri'), all.get('fb_exchange_token')])]
    .filter((word) => word !== undefined)
    .filter((word) => word !== null);
}
