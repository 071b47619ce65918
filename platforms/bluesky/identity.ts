/** Resolves an AT Protocol account: its identity, its data server and its authorization server. */
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { PlatformFailure, type PlatformIo } from '../contract.ts';
import { callPlatform, isTemporary, withoutPublishing } from '../http.ts';
import { oauthFailure, requestOptions } from '../oauth.ts';
import { originOf, ServerAddress } from '../origin.ts';

/** An account, as its identity document describes it. */
export interface Identity {
  /** The account's handle. */
  readonly handle: string;
  /** Origin of the server that stores its posts. */
  readonly pds: string;
}

const Document = z.object({
  id: z.string(),
  alsoKnownAs: z.array(z.string()).default([]),
  service: z.array(z.object({ id: z.string(), serviceEndpoint: z.unknown() })).default([]),
});

const Resource = z.object({ authorization_servers: z.array(z.string()).min(1) });

const WEB = /^did:web:([a-z\d.-]+(?:%3a\d+)?)$/i;

/**
 * Reads the identity document of an account.
 *
 * @throws PlatformFailure `rejected` when no usable document exists, `unavailable` when it cannot be read now
 * @see https://atproto.com/specs/did
 */
export function identityOf(io: PlatformIo, did: string): Promise<Identity> {
  return withoutPublishing(async () => {
    const answer = await callPlatform(io, documentUrl(io, did));
    if (isTemporary(answer)) {
      throw new PlatformFailure('unavailable', `The identity of the account could not be read: HTTP ${answer.status}.`);
    }
    const document = Document.safeParse(answer.body);
    const pds = document.data?.service.find(({ id }) => id.endsWith('#atproto_pds'))?.serviceEndpoint;
    const address = ServerAddress.safeParse(pds);
    if (document.data?.id !== did || !address.success) {
      throw new PlatformFailure('rejected', `The account ${did} has no identity document that names its server.`);
    }
    const handle = document.data.alsoKnownAs.find((name) => name.startsWith('at://'))?.slice('at://'.length);
    return { handle: handle ?? did, pds: originOf(address.data) };
  });
}

function documentUrl(io: PlatformIo, did: string): string {
  if (/^did:plc:[a-z2-7]{24}$/.test(did)) return `${io.endpoints.BLUESKY_PLC_URL}/${did}`;
  const host = WEB.exec(did)?.[1];
  if (host !== undefined) return `https://${decodeURIComponent(host)}/.well-known/did.json`;
  throw new PlatformFailure('rejected', 'The server named an account of an unknown kind.');
}

/**
 * Finds the authorization server for the accounts of a data server: one that it names, or itself.
 *
 * @throws PlatformFailure `rejected` when it has no consent page
 * @see https://atproto.com/specs/oauth#server-metadata
 */
export async function authorizationServerOf(io: PlatformIo, server: string): Promise<oauth.AuthorizationServer> {
  const named = await withoutPublishing(() => callPlatform(io, `${server}/.well-known/oauth-protected-resource`));
  const resource = Resource.safeParse(named.body);
  const issuer = ServerAddress.safeParse(resource.data?.authorization_servers[0] ?? server);
  if (!issuer.success) throw noPage(server);
  const url = new URL(issuer.data);
  try {
    const answer = await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...requestOptions(io) });
    const isOther = answer.status < 300 && !isJson(answer);
    if (isOther || (answer.status >= 300 && !isTemporary(answer))) throw noPage(server);
    return await oauth.processDiscoveryResponse(url, answer);
  } catch (error) {
    throw error instanceof PlatformFailure ? error : oauthFailure(url.host, error);
  }
}

/** Ordinary websites answer every path with some page. */
function isJson({ headers }: Response): boolean {
  return /^application\/json\b/i.test(headers.get('content-type') ?? '');
}

function noPage(server: string): PlatformFailure {
  const message = `${new URL(server).host} has no page on which you could agree: use an app password.`;
  return new PlatformFailure('rejected', message);
}
