/**
 * No text from a browser or a program breaks a page or an endpoint outside the API: forms of owners, customers and
 * agents, addresses, and headers. Text that cannot be stored or is far too long is refused, and never causes an
 * internal error.
 */
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import type { Express } from 'express';
import { describe, expect, it } from 'vitest';
import { createAccess } from '../../server/access.ts';
import { createPages, shareParts } from '../../server/pages.ts';
import { makeLink } from '../harness/connect-links.ts';
import { openBrowser } from '../harness/browser.ts';
import { OPERATOR, ownerLink, OWNER_ENV, signedInBrowser } from '../harness/owner.ts';
import { startWorld } from '../harness/world.ts';
import { authorizeUrl, openConsent, registered } from '../oauth/agents.ts';

const world = await startWorld({ env: OWNER_ENV });
const [{ id: accountId } = { id: '' }] = await world.sql<{ id: string }>('select id from accounts');
const owner = await signedInBrowser(world);
const clientId = await registered(world);
const consent = await openConsent(owner, { clientId });
const [, consentPath = ''] = /action="([^"]+)"/.exec(consent.text) ?? [];
const csrf = /name="csrf" value="([^"]+)"/.exec((await owner.get('/owner')).text)?.[1] ?? '';
const visitor = openBrowser(world);
const visitorCsrf = /name="csrf" value="([^"]+)"/.exec((await visitor.get('/sign-in')).text)?.[1] ?? '';

/** Percent-encoded values for a form or an address. */
const HOSTILE = {
  NUL: 'a%00b',
  'half a surrogate pair': 'a%ED%A0%BD',
  'bytes that are no UTF-8': '%FF%FE',
  'ten thousand characters': 'a'.repeat(10_000),
};

interface Form {
  /** As the application declares it, without its mount path. */
  readonly route: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly cookies: ReadonlyMap<string, string>;
}

const setUpPath = await ownerLink(world, accountId);
const passkey = { csrf, credential: '{}', name: 'A device' };
const form = (route: string, path: string, fields: Record<string, string>, cookies = owner.cookies): Form => ({
  route,
  path,
  fields,
  cookies,
});

/** A customer on the page of an open connect session. */
async function openSession() {
  const customer = openBrowser(world);
  const link = await makeLink(world);
  await customer.get((await customer.get(link.path)).location ?? '');
  return { cookies: customer.cookies, path: `/connect/session/${link.sessionId}` };
}

const session = await openSession();

/** A new session for each step, because an ended one accepts no forms. */
async function formOfStep(step: string): Promise<Form> {
  const { path, cookies } = await openSession();
  const fields = {
    platform: 'bluesky',
    account: '0',
    identifier: 'a',
    appPassword: 'b',
    instanceUrl: 'c',
    service: 'd',
  };
  return form('/session/:sessionId/:step', `${path}/${step}`, fields, cookies);
}

const forms: readonly Form[] = [
  form(
    '/sign-in',
    '/sign-in',
    { csrf: visitorCsrf, email: 'a@bells.example', password: 'wrong', to: '/owner' },
    visitor.cookies,
  ),
  form('/sign-in/passkey/options', '/sign-in/passkey/options', { csrf: visitorCsrf }, visitor.cookies),
  form('/sign-in/passkey', '/sign-in/passkey', { csrf: visitorCsrf, credential: '{}', to: '/owner' }, visitor.cookies),
  form(
    '/set-up/:secret',
    setUpPath,
    { csrf: visitorCsrf, email: 'b@bells.example', password: 'short' },
    visitor.cookies,
  ),
  form('/owner/password', '/owner/password', { csrf, current: 'wrong', password: 'short', new: 'short' }),
  form('/owner/sign-ins/end', '/owner/sign-ins/end', { csrf, id: 'none', signIn: 'none' }),
  form('/owner/passkeys/options', '/owner/passkeys/options', { csrf }),
  form('/owner/passkeys', '/owner/passkeys', passkey),
  form('/owner/passkeys/remove', '/owner/passkeys/remove', { csrf, id: 'none', passkey: 'none' }),
  form('/oauth/interaction/:uid', consentPath, { csrf, answer: 'perhaps', reach: 'none' }),
  form('/owner/agents/:grantId/revoke', '/owner/agents/none/revoke', { csrf }),
  form('/owner/keys', '/owner/keys', { csrf, password: 'wrong', type: 'live', name: 'none' }),
  form('/owner/keys/revoke', '/owner/keys/revoke', { csrf, id: 'none', keyId: 'none' }),
  ...(await Promise.all(['pick', 'connect', 'alternative', 'choose', 'other'].map(formOfStep))),
  form('/oauth/token', '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: clientId,
    code: 'a',
    redirect_uri: 'https://agent.example/callback',
    code_verifier: 'v',
    refresh_token: 'r',
    resource: 'r',
    scope: 's',
  }),
  form('/oauth/revoke', '/oauth/revoke', { client_id: clientId, token: 'a', token_type_hint: 'b' }),
  form('/sign-out', '/sign-out', { csrf: 'none' }),
];

/** Routes that accept JSON, which other tests cover. */
const JSON_ROUTES = ['/', '/mcp', '/mcp/*path', '/accounts/:accountId/owner-link', '/clients', '/signing-keys'];

interface Layer {
  readonly route?: { readonly path: string | string[]; readonly methods: Record<string, boolean> };
  readonly handle: { readonly stack?: readonly Layer[] };
}

function postRoutes(layers: readonly Layer[]): string[] {
  return layers.flatMap(({ route, handle }) =>
    route === undefined ? postRoutes(handle.stack ?? []) : route.methods['post'] === true ? [route.path].flat() : [],
  );
}

function send(target: Form, path: string, body: string): Promise<Response> {
  const cookie = [...target.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded', origin: 'http://localhost:3000' };
  return fetch(world.url + path, { method: 'POST', redirect: 'manual', headers, body });
}

/** A page, an error or a redirect; never an internal error. */
function isAnswer(response: Response): boolean {
  return response.status < 500;
}

/** The internal errors among answers to hostile texts, each with its text. */
async function faultsOf(answers: readonly (readonly [kind: string, response: Response])[]): Promise<string[]> {
  const faults = answers.filter(([, response]) => !isAnswer(response));
  return Promise.all(
    faults.map(async ([kind, response]) => `${kind}: ${response.status} ${(await response.text()).slice(0, 300)}`),
  );
}

describe('the forms', () => {
  it('are the complete list in the application', () => {
    const { context } = world;
    const app = createPages(context, createAccess(context), {
      ...shareParts(context, {}),
      operatorToken: OPERATOR,
    }) as Express & {
      router: { stack: Layer[] };
    };
    const declared = new Set(postRoutes(app.router.stack));
    const covered = new Set([...forms.map(({ route }) => route), ...JSON_ROUTES]);

    expect([...declared].filter((route) => !covered.has(route))).toEqual([]);
  });
});

describe.for(forms)('POST $path', (target) => {
  it.for(Object.keys(target.fields))('refuses hostile text in %s', async (name) => {
    const answers: [string, Response][] = [];
    for (const [kind, value] of Object.entries(HOSTILE)) {
      const others = new URLSearchParams(Object.entries(target.fields).filter(([other]) => other !== name)).toString();
      answers.push([kind, await send(target, target.path, `${others}&${name}=${value}`)]);
    }
    expect(await faultsOf(answers)).toEqual([]);
  });

  it('refuses a repeated field, a structured field, and a body of a megabyte', async () => {
    const [name = ''] = Object.keys(target.fields).slice(-1);
    const bodies = [`${name}=a&${name}=b`, `${name}[a]=b`, `__proto__[a]=b`, `${name}=${'a'.repeat(1_100_000)}`];
    const answers = await Promise.all(bodies.map((body) => send(target, target.path, body)));

    expect(answers.filter((response) => !isAnswer(response))).toEqual([]);
    expect(answers.at(-1)?.status).toBeOneOf([400, 413]);
  });
});

describe('addresses', () => {
  const ADDRESSES = [
    '/set-up/*',
    '/sign-in?to=*',
    '/owner/activity?cursor=*&actor=*&operation=*&before=*',
    '/oauth/interaction/*',
    '/connect/*',
    '/connect/session/*',
    `${session.path}?platform=*`,
    '/connect/client/*',
    '/connect/callback/bluesky?state=*&code=*&iss=*',
    '/connect/callback/*?state=a&error=*',
    '/sandbox/*',
    `/sandbox/${accountId}/*`,
    '/sandbox/media/*/0',
    `/sandbox/media/${accountId}/*`,
    '/media/public/*/a?expires=1&signature=a',
    '/media/public/threads/*?expires=*&signature=*',
    '/assets/*',
    '/mcp/*',
    '/mcp/x/*',
    '/status?days=*',
    '/docs?a=*',
    '/*',
    '/trpc/*?input=*',
    '/owner/trpc/*?input=*',
    '/api/v2/*',
    '/api/v2/health?a=*',
    '/readyz?a=*',
    '/metrics?a=*',
    '/.well-known/oauth-protected-resource/*',
    `/operator/*`,
    ...[
      'client_id',
      'redirect_uri',
      'state',
      'scope',
      'resource',
      'code_challenge',
      'code_challenge_method',
      'response_type',
      'prompt',
      'nonce',
      'login_hint',
      'max_age',
    ].map((name) => `${authorizeUrl({ clientId, params: { [name]: null } })}&${name}=*`),
  ];

  it.for(ADDRESSES)('%s is never an internal error', async (address) => {
    const answers: [string, Response][] = [];
    for (const [kind, value] of Object.entries(HOSTILE)) {
      const headers = {
        cookie: [...owner.cookies, ...session.cookies].map(([name, text]) => `${name}=${text}`).join('; '),
        'x-api-key': world.liveKey,
      };
      const response = await fetch(world.url + address.replaceAll('*', value.slice(0, 3_000)), {
        redirect: 'manual',
        headers,
      });
      answers.push([kind, response]);
    }
    expect(await faultsOf(answers)).toEqual([]);
  });
});

describe('headers', () => {
  /** Sends raw bytes, and returns the first line of the answer. */
  async function statusOf(head: string): Promise<number> {
    const socket = connectSocket(Number(new URL(world.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(Buffer.from(`${head}\r\nhost: localhost:3000\r\nconnection: close\r\n\r\n`, 'latin1'));
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(chunk.toString())?.[1]);
  }

  const NAMES = [
    'x-api-key',
    'authorization',
    'cookie',
    'idempotency-key',
    'last-event-id',
    'content-type',
    'accept',
    'origin',
    'referer',
    'forwarded',
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-request-id',
    'mcp-protocol-version',
    'mcp-session-id',
    'mcp-method',
    'user-agent',
    'range',
    'if-none-match',
    'content-length',
    'transfer-encoding',
    'expect',
    'accept-language',
    'sec-fetch-site',
  ];
  const REQUESTS = [
    'GET /api/v2/posts',
    'POST /api/v2/posts',
    'GET /api/v2/events',
    'POST /mcp',
    'GET /trpc/posts.list',
    'GET /owner',
    'POST /sign-in',
    'POST /oauth/token',
  ];

  it.for(REQUESTS)(
    '%s accepts bytes above ASCII, and refuses NUL and far too long values, in every header',
    async (request) => {
      for (const name of NAMES) {
        const keyed = name === 'x-api-key' ? '' : `x-api-key: ${name === 'last-event-id' ? world.liveKey : 'none'}\r\n`;
        const statuses = await Promise.all(
          ['\u00ff\u0080', 'a\u0000b', 'a'.repeat(20_000), ';=,"'].map((value) =>
            statusOf(`${request} HTTP/1.1\r\n${keyed}${name}: ${value}`),
          ),
        );
        const [odd = 0, nul, long, signs = 0] = statuses;
        expect({ name, faults: [odd, signs].filter((status) => status >= 500) }).toEqual({ name, faults: [] });
        expect({ name, nul, long }).toEqual({ name, nul: 400, long: expect.toBeOneOf([400, 431]) });
      }
    },
  );

  it('an Idempotency-Key with bytes above ASCII is valid', async () => {
    const post = () =>
      world.rest('POST /posts', {
        body: { text: 'Once', connectionSlugs: [world.sandboxSlug] },
        headers: { 'idempotency-key': 'clé\u00ff\u0080' },
      });
    const [first, again] = [await post(), await post()];

    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toEqual(first.body);
  });
});
