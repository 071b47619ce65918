/** Only the platform itself ends a credential: what a proxy answers to its refresh is temporary. */
import { afterAll, describe, expect, it } from 'vitest';
import { makeKey } from '../../platforms/bluesky/dpop.ts';
import type { AnyPlatform, CredentialRenewal, PlatformApps } from '../../platforms/contract.ts';
import { bluesky } from '../../platforms/bluesky/index.ts';
import { linkedin } from '../../platforms/linkedin/index.ts';
import { reddit } from '../../platforms/reddit/index.ts';
import { threads } from '../../platforms/threads/index.ts';
import { x } from '../../platforms/x/index.ts';
import { renewedCredential } from '../../platforms/with-token-refresh.ts';
import { type ScriptedAnswer, scriptNetwork } from '../harness/scripted-network.ts';
import { START } from '../harness/test-clock.ts';
import { startWorld } from '../harness/world.ts';
import { startFakeBluesky } from './fakes/fake-bluesky.ts';
import { failureOf, headPart, sessionOf, testIo } from './harness.ts';
import { PROXY_ANSWERS, shownAnswer } from './proxy-answers.ts';

let now = () => START;
const server = await startFakeBluesky({ now: () => now() });
afterAll(() => server.close());
const world = await startWorld({ env: { BLUESKY_SERVICE_URL: server.url } });
now = () => world.clock.now();
const network = scriptNetwork(world);

const HOUR = 3_600_000;
const TOKENS = { accessToken: 'old', refreshToken: 'refresh', expiresAt: null };
const APP = { clientId: 'carillon', clientSecret: 'secret' };
const APPS = { x: APP, linkedin: APP, reddit: APP } as Partial<PlatformApps>;

const PASSWORD = {
  service: 'https://pds.example',
  pds: 'https://pds.example',
  identifier: 'alice.test',
  appPassword: 'abcd-efgh-ijkl-mnop',
  accessJwt: 'old',
  refreshJwt: 'refresh',
};
server.addAccount('alice.test', PASSWORD.appPassword);

const OAUTH = {
  ...TOKENS,
  pds: 'https://pds.example',
  issuer: 'https://auth.example',
  tokenUrl: 'https://auth.example/oauth/token',
  clientId: 'http://localhost',
  clientKey: null,
  boundTo: await makeKey(),
};

interface Row {
  readonly platform: AnyPlatform;
  readonly credential: unknown;
}

const ROWS: readonly (readonly [string, Row])[] = [
  ['Bluesky with an app password', { platform: bluesky, credential: PASSWORD }],
  ['Bluesky by OAuth', { platform: bluesky, credential: OAUTH }],
  ['LinkedIn', { platform: linkedin, credential: { ...TOKENS, organizationId: null } }],
  ['Threads', { platform: threads, credential: { accessToken: 'old', expiresAt: START.toISOString() } }],
  ['X', { platform: x, credential: TOKENS }],
  ['Reddit', { platform: reddit, credential: { ...TOKENS, username: 'alice', target: 'u_alice' } }],
];

const ON_BLUESKY: Row = { platform: bluesky, credential: PASSWORD };

const ANSWERS: readonly ScriptedAnswer[] = [
  ...PROXY_ANSWERS,
  { status: 400, text: '' },
  { status: 401, text: '' },
  { status: 302, text: '' },
];

function renewing({ platform, credential }: Row, answer: (url: string) => Response) {
  const io = testIo(() => START, {}, 10_000, APPS);
  const fetch = (url: string | URL) => Promise.resolve(answer(String(url)));
  const session = sessionOf({ platformAccountId: 'did:plc:alice', handle: 'alice', credential });
  return failureOf(renewedCredential(session, { ...io, fetch }, platform.renewal as CredentialRenewal<unknown>));
}

const asResponse = ({ status, text, json }: ScriptedAnswer) =>
  json === undefined ? new Response(text, { status }) : Response.json(json, { status });

describe('a refresh', () => {
  const rows = ROWS.flatMap(([name, row]) =>
    ANSWERS.map((answer) => [name, shownAnswer(answer), { row, answer }] as const),
  );

  it.for(rows)('on %s is not ended by %s', async ([, , { row, answer }]) => {
    const failure = await renewing(row, () => asResponse(answer));

    expect(failure).toMatchObject({ kind: 'unavailable' });
  });

  it.for(ANSWERS.map((answer) => ({ answer, shown: shownAnswer(answer) })))(
    'on Bluesky whose new login gets $shown does not end',
    async ({ answer }) => {
      const expired = Response.json({ error: 'ExpiredToken', message: 'Token has expired' }, { status: 400 });

      const failure = await renewing(ON_BLUESKY, (url) =>
        url.endsWith('refreshSession') ? expired : asResponse(answer),
      );

      expect(failure).toMatchObject({ kind: 'unavailable' });
    },
  );

  it.for([400, 401, 403])('on Bluesky is not ended by JSON with HTTP %i that names no error', async (status) => {
    const failure = await renewing(ON_BLUESKY, () => Response.json({ message: 'Refused' }, { status }));

    expect(failure).toEqual({ kind: 'unavailable', message: `Bluesky answered HTTP ${status}.` });
  });
});

it.for(ROWS.filter(([name]) => name !== 'Threads'))(
  'a send on %s that a proxy answers with 401 refreshes nothing and is not repeated',
  async ([, { platform, credential }]) => {
    const asked: string[] = [];
    const fetch = (url: string | URL) => {
      asked.push(String(url));
      return Promise.resolve(new Response('Unauthorized', { status: 401 }));
    };
    const session = sessionOf({ platformAccountId: 'did:plc:alice', handle: 'alice', credential });
    const sent = platform.publish(session, headPart('Ding', 'token', START), {
      ...testIo(() => START, {}, 10_000, APPS),
      fetch,
    });

    expect((await failureOf(sent)).kind).toBe('unknown');
    expect(asked).toHaveLength(1);
  },
);

it('an account on Bluesky stays connected while a proxy answers for its server, and posts again afterwards', async () => {
  const credentials = { identifier: 'alice.test', appPassword: PASSWORD.appPassword };
  const { connection } = (await world.rest('POST /connections', { body: { platformId: 'bluesky', credentials } })).body;
  const post = async () =>
    (await world.rest('POST /posts', { body: { text: 'Ding', connectionSlugs: [connection.slug] } })).body.results[0];
  network.script = () => ({ status: 401, json: { message: 'Unauthorized' } });
  await world.advance(3 * HOUR);

  const during = await post();
  const shown = (await world.rest(`GET /connections/${connection.id}`)).body.connection;
  network.script = null;

  expect(during.status).toBe('failed');
  expect(shown.reconnectRequired).toBe(null);
  expect(await post()).toMatchObject({ status: 'sent', error: null });
});
