import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { renewDueCredentials } from '../../../services/connections/renew-due-credentials.ts';
import { SEND_TIMES } from '../../../services/sending/send-times.ts';
import { type FakeXAccount, startFakeX } from '../../platforms/fakes/fake-x.ts';
import { afterFirstQuery, awayOnce } from '../../harness/interleave.ts';
import { startWorld } from '../../harness/world.ts';

const APP = { clientId: 'carillon', clientSecret: 'secret' };
const HOUR = 3_600_000;
const MINUTE = 60_000;
const TOKEN = 'POST /2/oauth2/token';
const DEAD = 'X no longer renews this credential: connect the account again.';

const x = await startFakeX({ now: () => world.clock.now(), app: APP });
const world = await startWorld({
  env: { X_API_URL: x.url, X_AUTH_URL: x.url, X_CLIENT_ID: APP.clientId, X_CLIENT_SECRET: APP.clientSecret },
});
afterAll(() => x.close());

let account: FakeXAccount;
let connection: { id: string; slug: string };
let number = 0;

/** Each test has its own account, whose access token expires in two hours. */
beforeEach(async () => {
  number += 1;
  account = x.addAccount(`alice${number}`, `token-${number}`, `refresh-${number}`);
  connection = (await connect(`token-${number}`)).body.connection;
  x.calls[TOKEN] = 0;
});

afterEach(async () => {
  await world.rest(`DELETE /connections/${connection.id}`);
});

function connect(accessToken: string) {
  const expiresAt = new Date(world.clock.now().getTime() + 2 * HOUR).toISOString();
  const credentials = { accessToken, refreshToken: `refresh-${number}`, expiresAt };
  return world.rest('POST /connections', { body: { platformId: 'x', credentials } });
}

/** Connects the account again, as its owner does when the connection asks for it. */
async function reconnectAccount(accessToken: string): Promise<void> {
  await world.sql(`update connections set reconnect_since = $2, reconnect_reason = 'refused' where id = $1`, [
    connection.id,
    world.clock.now(),
  ]);
  expect(await connect(accessToken)).toMatchObject({ status: 200 });
}

const renewals = () => x.calls[TOKEN] ?? 0;
const shown = async () => (await world.rest(`GET /connections/${connection.id}`)).body.connection;
const stored = () => world.sql<{ credentials: string }>('select * from connections where id = $1', [connection.id]);
const post = async (text: string) =>
  (await world.rest('POST /posts', { body: { text, connectionSlugs: [connection.slug] } })).body.results[0];
const fails = (status: number, json: unknown = {}) => (x.answers[TOKEN] = [{ status, json }]);

/** Encrypts the credential again, as a key rotation does. */
async function encryptAgain(): Promise<void> {
  const { vault } = world.context;
  const { id } = connection;
  const [{ credentials } = { credentials: '' }] = await stored();
  const sealedAgain = vault.seal(vault.open(credentials, id), id);
  await world.sql('update connections set credentials = $2 where id = $1', [id, sealedAgain]);
}

/** Does something else between the next call to X and its answer. */
function duringNextCall(happening: () => Promise<unknown>): void {
  const { fetch } = world.context;
  const once: typeof fetch = async (url, init) => {
    Object.assign(world.context, { fetch });
    const answer = await fetch(url, init);
    await happening();
    return answer;
  };
  Object.assign(world.context, { fetch: once });
}

/** Revokes all tokens of the account at X. */
const kill = () => [account.accessTokens, account.refreshTokens].forEach((tokens) => tokens.clear());

describe('an access token that expires', () => {
  it('is refreshed five minutes ahead, without a post to send, and again two hours later', async () => {
    await world.advance(115 * MINUTE - 1);
    expect(renewals()).toBe(0);

    await world.advance(1);
    expect(renewals()).toBe(1);

    await world.advance(115 * MINUTE);
    expect(renewals()).toBe(2);
    expect(await post('still here')).toMatchObject({ status: 'sent' });
    expect(renewals()).toBe(2);
  });

  it('is refreshed by a post before the time of its call begins', async () => {
    world.clock.advance(116 * MINUTE);
    const { clock } = world.context;
    const { deadline } = clock;
    const limits: number[] = [];
    clock.deadline = (ms, parent) => {
      limits.push(ms);
      return deadline.call(clock, ms, parent);
    };
    duringNextCall(async () => void limits.push(0));

    const result = await post('in time');
    clock.deadline = deadline;

    expect(result).toMatchObject({ status: 'sent' });
    expect(limits.slice(limits.indexOf(0) + 1)).toEqual([SEND_TIMES.publishMs]);
  });

  it('is still used by a post when its refresh fails, which is tried once', async () => {
    world.clock.advance(116 * MINUTE);
    x.answers[TOKEN] = [
      { status: 503, json: {} },
      { status: 503, json: {} },
    ];

    const result = await post('with the old one');
    x.answers[TOKEN] = [];

    expect(result).toMatchObject({ status: 'sent' });
    expect(renewals()).toBe(1);
  });

  it('is refreshed once by concurrent callers', async () => {
    world.clock.advance(116 * MINUTE);
    const { signal } = new AbortController();

    const [one, two] = await Promise.all([
      post('one'),
      post('two'),
      renewDueCredentials(world.context, signal),
      renewDueCredentials(world.context, signal),
    ]);

    expect([one.status, two.status]).toEqual(['sent', 'sent']);
    expect(renewals()).toBe(1);
  });

  it('has its new tokens stored before their first use: a post that is cut off does not lose them', async () => {
    world.clock.advance(116 * MINUTE);
    x.faults.push('drops_before');

    expect(await post('cut off')).toMatchObject({ status: 'failed', error: { code: 'platform_unavailable' } });
    expect(await post('the next')).toMatchObject({ status: 'sent' });
    expect(renewals()).toBe(1);
  });

  it.each(['before', 'after'] as const)(
    'keeps its new tokens when the database goes away %s it stores them',
    async (when) => {
      world.clock.advance(116 * MINUTE);
      const warn = vi.spyOn(world.context.log, 'warn');

      await renewDueCredentials(awayOnce(world.context, 'set credentials =', when), new AbortController().signal);
      await world.advance(6 * MINUTE);

      expect(warn).not.toHaveBeenCalled();
      warn.mockRestore();
      expect(renewals()).toBe(1);
      expect(await shown()).toMatchObject({ reconnectRequired: null });
      expect(await post('kept')).toMatchObject({ status: 'sent' });
    },
  );

  it('keeps its new tokens when another worker took over meanwhile and was refused', async () => {
    world.clock.advance(116 * MINUTE);
    const takenOver = `update connections set renewal_lease_until = null, renew_at = null, reconnect_since = $2,
      reconnect_reason = 'refused', reconnect_told_by = 'renewal' where id = $1`;
    duringNextCall(() => world.sql(takenOver, [connection.id, world.clock.now()]));

    await renewDueCredentials(world.context, new AbortController().signal);

    expect(await shown()).toMatchObject({ reconnectRequired: null });
    expect(await post('kept too')).toMatchObject({ status: 'sent' });
  });

  it('is not replaced by the refresh of an older one when the account is connected again meanwhile', async () => {
    world.clock.advance(116 * MINUTE);
    duringNextCall(async () => {
      account.accessTokens.add('linked-anew');
      await reconnectAccount('linked-anew');
    });

    await renewDueCredentials(world.context, new AbortController().signal);

    const [{ credentials } = { credentials: '' }] = await stored();
    expect(world.context.vault.open(credentials, connection.id)).toMatchObject({ accessToken: 'linked-anew' });
  });

  it.each([
    ['gives new tokens', []],
    ['gets no answer', [{ status: 503, json: {} }]],
    ['is refused', [{ status: 400, json: { error: 'invalid_grant' } }]],
  ])(
    'is not touched when the refresh of an older one %s, although its own refresh began in the same millisecond',
    async (_name, answers) => {
      const accessToken = `linked-anew-${number}`;
      world.clock.advance(116 * MINUTE);
      x.answers[TOKEN] = answers;
      duringNextCall(async () => {
        account.accessTokens.add(accessToken);
        await reconnectAccount(accessToken);
        // What another worker stores that refreshes the new one.
        const lease = new Date(world.clock.now().getTime() + 45_000);
        await world.sql('update connections set renewal_lease_until = $2 where id = $1', [connection.id, lease]);
      });

      await renewDueCredentials(world.context, new AbortController().signal);

      const [{ credentials, ...row } = { credentials: '' }] = await stored();
      expect(world.context.vault.open(credentials, connection.id)).toMatchObject({ accessToken });
      expect(row).toMatchObject({ renewal_lease_until: expect.anything(), reconnect_since: null });
    },
  );

  it('keeps its new tokens when a key rotation encrypts the old ones again during the refresh', async () => {
    world.clock.advance(116 * MINUTE);
    duringNextCall(encryptAgain);

    await renewDueCredentials(world.context, new AbortController().signal);

    expect(await post('kept as well')).toMatchObject({ status: 'sent' });
    expect(renewals()).toBe(1);
  });

  it('is refreshed within minutes after a worker died that had begun it, although the clock was set back', async () => {
    world.clock.advance(116 * MINUTE);
    const lease = new Date(world.clock.now().getTime() + 24 * HOUR);
    await world.sql('update connections set renewal_lease_until = $2 where id = $1', [connection.id, lease]);
    const sleep = async (ms: number) => world.clock.advance(ms);
    const clock = { ...world.clock, sleep, elapsed: () => world.clock.now().getTime() };
    const renew = () => renewDueCredentials({ ...world.context, clock }, new AbortController().signal);

    await renew();
    expect(renewals()).toBe(0);
    world.clock.advance(5 * MINUTE);
    await renew();

    expect(renewals()).toBe(1);
  });

  it('is refreshed for a post although a key rotation encrypts it again during the send', async () => {
    account.accessTokens.clear();
    duringNextCall(encryptAgain);

    expect(await post('encrypted again')).toMatchObject({ status: 'sent' });

    expect(renewals()).toBe(1);
  });

  it('is refreshed by a worker although a key rotation encrypts it again after the claim', async () => {
    world.clock.advance(116 * MINUTE);

    const { queries } = afterFirstQuery(world.context, encryptAgain).db;
    const context = { ...world.context, db: { ...world.db, queries } };

    await renewDueCredentials(context, new AbortController().signal);

    expect(renewals()).toBe(1);
  });

  it('is still used while X cannot refresh it, and the refresh is repeated five minutes later', async () => {
    world.clock.advance(116 * MINUTE);
    fails(503);

    await world.runDue();

    expect(await shown()).toMatchObject({ reconnectRequired: null });
    fails(503);
    expect(await post('meanwhile')).toMatchObject({ status: 'sent' });
    const before = renewals();
    await world.advance(5 * MINUTE - 1);
    expect(renewals()).toBe(before);
    await world.advance(1);
    expect(renewals()).toBe(before + 1);
    expect(await shown()).toMatchObject({ reconnectRequired: null });
  });

  it('is no longer refreshed after the connection was deleted', async () => {
    await world.rest(`DELETE /connections/${connection.id}`);

    await world.advance(3 * HOUR);

    expect(renewals()).toBe(0);
  });
});

describe('credentials that are no longer valid', () => {
  it('are reported on the connection before a post is due, and the refresh is not repeated', async () => {
    kill();

    await world.advance(115 * MINUTE);

    const since = world.clock.now().toISOString();
    expect(await shown()).toMatchObject({ id: connection.id, reconnectRequired: { since, reason: DEAD } });
    await world.advance(24 * HOUR);
    expect(renewals()).toBe(1);
    expect(await shown()).toMatchObject({ reconnectRequired: { since, reason: DEAD } });
    expect(await post('too late')).toMatchObject({ status: 'failed', error: { code: 'reconnect_required' } });
    expect(await shown()).toMatchObject({ reconnectRequired: { since, reason: expect.any(String) } });
  });

  it('are reported in the list of connections too', async () => {
    kill();
    await world.advance(115 * MINUTE);

    const { body } = await world.rest('GET /connections');

    expect(body.connections.find(({ id }: { id: string }) => id === connection.id)).toEqual(await shown());
    expect((await shown()).reconnectRequired.reason).toBe(DEAD);
  });

  it('work again after the account is connected again: same id, slug and queue, and no event', async () => {
    const queue = { slots: [{ weekday: 1, time: '09:00' }], timezone: 'Europe/Berlin' };
    await world.rest(`PATCH /connections/${connection.id}/queue`, { body: queue });
    kill();
    await world.advance(115 * MINUTE);
    const before = await shown();
    const events = () => world.sql<{ name: string }>('select name from events order by id');
    const earlierEvents = await events();
    account.accessTokens.add('anew');

    const { status, body } = await connect('anew');

    expect(status).toBe(200);
    expect(body).toEqual({
      connection: { ...before, reconnectRequired: null, credentialRenewsAt: expect.any(String) },
    });
    expect(await events()).toEqual(earlierEvents);
    expect(await post('back')).toMatchObject({ status: 'sent' });
  });

  it('do not exist yet: connecting twice is still a conflict while the credentials are valid', async () => {
    const { status, body } = await connect(`token-${number}`);

    expect(status).toBe(409);
    expect(body).toMatchObject({ error: 'connection_conflict' });
  });
});

describe('credentials that a send finds refused', () => {
  beforeEach(async () => {
    kill();
    await post('refused');
  });

  it('are reported on the connection, with the reason and the time', async () => {
    expect((await shown()).reconnectRequired).toEqual({
      since: world.clock.now().toISOString(),
      reason: expect.stringMatching(/^X /),
    });
  });

  it('keep the time of the first refusal', async () => {
    const { since } = (await shown()).reconnectRequired;
    world.clock.advance(MINUTE);

    await post('again');

    expect((await shown()).reconnectRequired.since).toBe(since);
  });
});

describe('an account that is connected again during a call with the old credentials', () => {
  const reconnect = async () => {
    account.accessTokens.add('newest');
    await world.sql(`update connections set reconnect_since = $2, reconnect_reason = 'refused' where id = $1`, [
      connection.id,
      world.clock.now(),
    ]);
    const credentials = { accessToken: 'newest' };
    expect(await world.rest('POST /connections', { body: { platformId: 'x', credentials } })).toMatchObject({
      status: 200,
    });
  };
  // Credentials without a refresh token: the refusal is final.
  beforeEach(() =>
    world.sql('update connections set credentials = $2 where id = $1', [
      connection.id,
      world.context.vault.seal({ accessToken: `token-${number}`, refreshToken: null, expiresAt: null }, connection.id),
    ]),
  );
  afterEach(() => account.accessTokens.delete('newest'));

  it('is not reported for a send that is refused', async () => {
    account.accessTokens.clear();
    duringNextCall(reconnect);

    expect(await post('in flight')).toMatchObject({ error: { code: 'reconnect_required' } });

    expect(await shown()).toMatchObject({ reconnectRequired: null });
    expect(await post('afterwards')).toMatchObject({ status: 'sent' });
  });

  it('stays reported when a post goes out that was sent with the old credentials', async () => {
    duringNextCall(async () => {
      await reconnect();
      x.answers['POST /2/tweets'] = [
        { status: 403, json: { title: 'Forbidden', type: 'about:blank', status: 403, detail: 'Forbidden' } },
      ];
      expect(await post('with the new ones')).toMatchObject({ error: { code: 'reconnect_required' } });
    });

    expect(await post('with the old ones')).toMatchObject({ status: 'sent' });

    expect((await shown()).reconnectRequired).not.toBeNull();
  });

  it('is not reported for a delete that is refused', async () => {
    const { postId } = await post('up for now');
    account.accessTokens.clear();
    duringNextCall(reconnect);

    expect((await world.rest(`DELETE /posts/${postId}`)).body).toMatchObject({ error: 'reconnect_required' });

    expect(await shown()).toMatchObject({ reconnectRequired: null });
    expect(await world.rest(`DELETE /posts/${postId}`)).toMatchObject({ status: 200 });
  });
});

describe('credentials that are refused after they were renewed in the same call', () => {
  const refused = { status: 403, json: { title: 'Forbidden', type: 'about:blank', status: 403, detail: 'Forbidden' } };

  it('are reported by a send', async () => {
    world.clock.advance(116 * MINUTE);
    x.answers['POST /2/tweets'] = [refused];

    expect(await post('renewed and refused')).toMatchObject({ error: { code: 'reconnect_required' } });

    expect(renewals()).toBe(1);
    expect((await shown()).reconnectRequired).not.toBeNull();
  });

  it('are reported by a delete', async () => {
    const { postId } = await post('to be deleted');
    world.clock.advance(116 * MINUTE);
    x.answers['DELETE /2/tweets/:id'] = [{ ...refused, status: 401 }];

    expect((await world.rest(`DELETE /posts/${postId}`)).body).toMatchObject({ error: 'reconnect_required' });

    expect(renewals()).toBe(1);
    expect((await shown()).reconnectRequired).not.toBeNull();
  });
});

describe('a send that X refuses because of missing permissions', () => {
  it('is reported on the connection until a send succeeds', async () => {
    x.answers['POST /2/tweets'] = [
      { status: 403, json: { title: 'Forbidden', type: 'about:blank', status: 403, detail: 'Forbidden' } },
    ];
    expect(await post('with too few scopes')).toMatchObject({ error: { code: 'reconnect_required' } });
    expect((await shown()).reconnectRequired).not.toBeNull();

    expect(await post('covered')).toMatchObject({ status: 'sent' });

    expect((await shown()).reconnectRequired).toBeNull();
  });

  it('is still reported after the token was refreshed, which gives it no permission', async () => {
    const forbidden = {
      status: 403,
      json: { title: 'Forbidden', type: 'about:blank', status: 403, detail: 'Forbidden' },
    };
    x.answers['POST /2/tweets'] = [forbidden];
    await post('with too few scopes');
    const { reconnectRequired } = await shown();

    await world.advance(2 * HOUR);

    expect([renewals(), (await shown()).reconnectRequired]).toEqual([1, reconnectRequired]);
    expect(reconnectRequired).not.toBeNull();
    expect(await post('covered')).toMatchObject({ status: 'sent' });
    expect((await shown()).reconnectRequired).toBeNull();
  });
});

describe('a delete that finds the credentials refused', () => {
  it('is reported on the connection', async () => {
    const { postId } = await post('up');
    kill();

    expect((await world.rest(`DELETE /posts/${postId}`)).body).toMatchObject({ error: 'reconnect_required' });

    expect((await shown()).reconnectRequired).not.toBeNull();
  });
});
