/** Accounts on the real servers, opened as users do, and the posts that those servers list. */
import { waitUntil } from '../crash/wait-until.ts';
import { type RealServer, type RealSnac, startPds, startSnac } from './real-servers.ts';

export interface PeerAccount {
  /** The body of POST /connections. */
  readonly credentials: Record<string, string>;
  /** Origin of the directory that knows the account; on a PDS only. */
  readonly plcUrl?: string;
  /** Texts of the account's posts as the server lists them publicly, sorted. */
  texts(): Promise<string[]>;
  stop(): Promise<void>;
}

const CALLBACK = 'http://127.0.0.1:9/callback';

/** Longest wait for a read of snac that has a body. */
const SNAC_ANSWERS_MS = 10_000;

/** Password of the accounts on a PDS, for its own page. */
export const PDS_PASSWORD = 'correct horse';

/** Starts a PDS with one account that has an app password. @param plcPort of its directory, any free one by default */
export async function openOnPds(script: string, plcPort?: number): Promise<PeerAccount> {
  const server = await startPds(script, plcPort);
  const { did, handle, accessJwt } = await xrpc(server, 'com.atproto.server.createAccount', {
    handle: 'alice.test',
    email: 'alice@mail.test',
    password: PDS_PASSWORD,
  });
  const { password = '' } = await xrpc(server, 'com.atproto.server.createAppPassword', { name: 'carillon' }, accessJwt);
  return {
    credentials: { identifier: handle ?? '', appPassword: password, service: server.url },
    plcUrl: server.plcUrl,
    texts: async () => {
      const query = new URLSearchParams({ repo: did ?? '', collection: 'app.bsky.feed.post', limit: '100' });
      const response = await fetch(`${server.url}/xrpc/com.atproto.repo.listRecords?${query.toString()}`);
      const { records } = (await response.json()) as { records: { value: { text: string } }[] };
      return records.map(({ value }) => value.text).toSorted();
    },
    stop: () => server.stop(),
  };
}

async function xrpc(
  server: RealServer,
  method: string,
  input: object,
  token?: string,
): Promise<Record<string, string>> {
  const response = await fetch(`${server.url}/xrpc/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(input),
  });
  if (!response.ok) throw new Error(`${method}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, string>;
}

/**
 * Starts snac with an application token for one of its users, from the whole flow: sign in, allow, exchange the code.
 */
export async function openOnSnac(script: string): Promise<PeerAccount> {
  const server = await startSnac(script);
  const accessToken = await tokenOf(server);
  const get = async <Answer>(path: string) => {
    // snac sometimes drops kept-alive connections, together with the next request on them.
    const headers = { authorization: `Bearer ${accessToken}`, connection: 'close' };
    const read = async () => {
      const response = await fetch(`${server.url}${path}`, { headers });
      const body = await response.text();
      if (response.status === 200 && body !== '') return JSON.parse(body) as Answer;
      console.log(`snac answered GET ${path} with ${response.status} ${JSON.stringify(body)}`);
      return null;
    };
    // On a busy machine snac has answered reads without a body.
    return await waitUntil(`snac answers GET ${path}`, read, SNAC_ANSWERS_MS);
  };
  const { id } = await get<{ id: string }>('/api/v1/accounts/verify_credentials');
  return {
    credentials: { instanceUrl: server.url, accessToken },
    texts: async () => {
      const statuses = await get<{ content: string }[]>(`/api/v1/accounts/${id}/statuses?limit=40`);
      return statuses.map(({ content }) => content.replace(/<[^>]*>/g, '').trim()).toSorted();
    },
    stop: () => server.stop(),
  };
}

async function tokenOf(server: RealSnac): Promise<string> {
  const send = (path: string, body: Record<string, string>) =>
    fetch(`${server.url}${path}`, { method: 'POST', redirect: 'manual', body: new URLSearchParams(body) });
  const scope = 'read write';
  const registered = await send('/api/v1/apps', { client_name: 'carillon', redirect_uris: CALLBACK, scopes: scope });
  const { client_id = '', client_secret = '' } = (await registered.json()) as Record<string, string>;
  const form = { login: 'alice', passwd: server.passwords['alice'] ?? '', redir: CALLBACK, cid: client_id, state: 's' };
  const allowed = await send('/oauth/x-snac-login', form);
  const code = new URL(allowed.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const grant = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, scope };
  const exchanged = await send('/oauth/token', { ...grant, client_id, client_secret });
  const { access_token = '' } = (await exchanged.json()) as Record<string, string>;
  return access_token;
}
