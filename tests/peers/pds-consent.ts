/** Signs a person in on a PDS's own page and agrees there: sends the requests of its scripts, without a browser. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Person {
  readonly handle: string;
  readonly password: string;
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly text: string;
}

/** The paths that the page's scripts call on their server. */
const BY_SCRIPT = { 'sec-fetch-mode': 'same-origin', 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' };

/** Returns the address to which the server redirects the browser. @param page the address the customer was sent to */
export async function agreeOnPds(page: string, { handle, password }: Person): Promise<URL> {
  const { origin } = new URL(page);
  const go = openCookieJar();
  await go(page, { headers: visit('cross-site') });
  const call = async (path: string, input: object) => {
    const headers = { ...BY_SCRIPT, 'content-type': 'application/json', accept: 'application/json', origin };
    const url = `${origin}/@atproto/oauth-provider/~api/${path}`;
    const answer = await go(url, { headers: { ...headers, referer: page }, body: JSON.stringify(input) });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as { readonly account?: { readonly did: string }; readonly url?: string };
  };
  const { account } = await call('sign-in', { locale: 'en', username: handle, password, remember: true });
  const { url = '' } = await call('consent', { did: account?.did, scope: 'atproto transition:generic' });
  const back = await go(new URL(url, origin).href, { headers: { ...visit('same-origin'), referer: page } });
  return new URL(back.location ?? '');
}

function visit(site: string): Record<string, string> {
  return { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': site, accept: 'text/html' };
}

/** Requests of one browser. Node's own fetch sets its own fetch mode, which the page's server refuses. */
function openCookieJar() {
  const jar = new Map<string, string>();
  return async (
    url: string,
    { headers, body }: { headers: Record<string, string>; body?: string },
  ): Promise<Answer> => {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    const shown = { ...headers, cookie, 'x-csrf-token': jar.get('csrf-token') ?? '' };
    const call = request(url, { method: body === undefined ? 'GET' : 'POST', headers: shown }).end(body);
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    for (const set of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      jar.set(name, value);
    }
    return { status: answer.statusCode ?? 0, location: answer.headers.location, text: await text(answer) };
  };
}
