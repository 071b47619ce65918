/** Agents for tests: one that requests access step by step, and a person who answers in a browser. */
import { createHash } from 'node:crypto';
import { Owner, type Role } from '../../entities/owner.ts';
import { beginSignIn } from '../../services/people/sign-ins.ts';
import { type Browser, type BrowserPage, openBrowser } from '../harness/browser.ts';
import { PUBLIC_URL, type World } from '../harness/world.ts';

export const RESOURCE = `${PUBLIC_URL}/mcp`;
export const METADATA_URL = `${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp`;
export const CALLBACK = 'https://agent.example/callback';
export const VERIFIER = 'v'.repeat(43);
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** The address of an install: a world, or the product as a process. */
type Install = Pick<World, 'url'>;

export interface Person {
  readonly ownerId: string;
  readonly accountId: string;
  readonly browser: Browser;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // eslint-disable-next-line typescript/no-explicit-any -- tests compare whole bodies and read known fields
  readonly body: any;
}

/** A signed-in person of the first account, or of another one. */
export async function signIn(world: World, accountId?: string, role: Role = 'owner'): Promise<Person> {
  const [first] = await world.sql<{ id: string }>('select id from accounts order by id limit 1');
  const ownerId = world.context.random.uuid();
  const account = accountId ?? first?.id ?? '';
  await world.context.db.em().insert(Owner, {
    id: ownerId,
    accountId: account,
    email: `${ownerId}@example.com`,
    role,
    passwordHash: null,
    createdAt: world.clock.now(),
  });
  const browser = openBrowser(world);
  const { secret } = await beginSignIn(world.context, ownerId, 'A browser');
  browser.cookies.set('carillon', `${secret}.${world.context.signer.sign('signInCookie', secret)}`);
  return { ownerId, accountId: account, browser };
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export async function register(world: Install, metadata: object = {}, headers = {}): Promise<Answer> {
  const body = { client_name: 'Agent', redirect_uris: [CALLBACK], ...metadata };
  return read(
    await fetch(`${world.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  );
}

export async function registered(world: Install, metadata: object = {}): Promise<string> {
  return (await register(world, metadata)).body.client_id;
}

export interface Wish {
  readonly clientId: string;
  /** Parameters in addition to the default ones; null omits one. */
  readonly params?: Readonly<Record<string, string | null>>;
}

/** Address at which a client's user starts. */
export function authorizeUrl({ clientId, params = {} }: Wish): string {
  const all = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: CALLBACK,
    state: 'a-state',
    scope: 'posts:read connections:read',
    resource: RESOURCE,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...params,
  };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  return `/oauth/authorize?${new URLSearchParams(sent).toString()}`;
}

/** Opens the consent page. */
export async function openConsent(browser: Browser, wish: Wish): Promise<BrowserPage> {
  const asked = await browser.get(authorizeUrl(wish));
  return browser.get(asked.location ?? '');
}

const ASK_FIRST = 'Ask me before anything goes out';

/** Presses Allow or Deny, and follows redirects to the client. @returns the parameters that the client receives */
export async function answered(
  browser: Browser,
  consent: BrowserPage,
  { button = 'Allow', reach = 'account', asksFirst = false } = {},
): Promise<URL> {
  // The box is there for clients that may post.
  const box = consent.text.includes(ASK_FIRST) ? { [ASK_FIRST]: asksFirst ? 'required' : '' } : {};
  const pressed = await browser.press(consent, button, { 'What it reaches': reach, ...box });
  const target = pressed.location ?? 'about:blank';
  const isHere = target.includes('/oauth/authorize/');
  return new URL(isHere ? ((await browser.get(target)).location ?? 'about:blank') : target);
}

export async function codeFor({ browser }: Person, wish: Wish, reach = 'account'): Promise<string> {
  const back = await answered(browser, await openConsent(browser, wish), { reach });
  return back.searchParams.get('code') ?? '';
}

export async function postForm(world: Install, path: string, fields: Record<string, string>): Promise<Answer> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(fields).toString();
  return read(await fetch(world.url + path, { method: 'POST', headers, body }));
}

/** Exchanges a code for tokens. */
export function redeem(world: Install, clientId: string, code: string, fields = {}): Promise<Answer> {
  const ordinary = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: CALLBACK };
  return postForm(world, '/oauth/token', { ...ordinary, code_verifier: VERIFIER, ...fields });
}

export function refresh(world: Install, clientId: string, refreshToken: string, fields = {}): Promise<Answer> {
  const ordinary = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken };
  return postForm(world, '/oauth/token', { ...ordinary, ...fields });
}

export interface Tokens {
  readonly clientId: string;
  readonly access: string;
  readonly refresh: string;
}

/** The whole flow: a new client, consent, tokens. */
export async function tokensFor(
  world: World,
  person: Person,
  { scope = 'posts:read connections:read', reach = 'account', clientId = '' } = {},
): Promise<Tokens> {
  const client = clientId === '' ? await registered(world) : clientId;
  const code = await codeFor(person, { clientId: client, params: { scope } }, reach);
  const { body } = await redeem(world, client, code);
  return { clientId: client, access: body.access_token, refresh: body.refresh_token };
}

/** The claims of an access token. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

/** Calls a tool, with a message of the revisions before 2026-07-28. */
export async function callTool(
  world: Install,
  token: string | null,
  name: string,
  input: object = {},
): Promise<Answer> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
  return callMcp(world, token, message);
}

export async function callMcp(world: Install, token: string | null, message: unknown, path = '/mcp'): Promise<Answer> {
  const response = await fetch(world.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(message),
  });
  const { status, headers, body } = await read(response);
  const data = typeof body === 'string' ? /^data: (\{.*)$/m.exec(body)?.[1] : undefined;
  return { status, headers, body: data === undefined ? body : JSON.parse(data) };
}
