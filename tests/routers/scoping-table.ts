/** The status that each operation returns for each kind of key, checked by tests/routers/scoping.test.ts. */
import { IMAGE, type Place, type Tenant } from '../harness/tenant.ts';

/** One operation on one object. */
export interface Row {
  readonly operation: string;
  /** The object of the call, when an operation has several rows. */
  readonly on: string;
  readonly input: (tenant: Tenant) => object | Promise<object>;
  /** Statuses in the order of KEYS. If the answer is a list, a success is `200:<count>`. */
  readonly statuses: string;
  /** The number of items in an answer. */
  readonly count?: ((body: Record<string, unknown[]>) => number | undefined) | undefined;
}

const row = (operation: string, on: string, input: Row['input'], statuses: string, count?: Row['count']): Row => ({
  operation,
  on,
  input,
  statuses,
  count,
});

// Operations that all keys of the account may call, and operations for unscoped keys only.
const ANYONE = '200 200 200 200 200 200 401 401';
const UNSCOPED_IN_A = '200 403 403 200 403 404 401 401';
const UNSCOPED_LIVE = '200 403 403 403 403 200 401 401';

// Objects, named by id: an object outside the key's scope is a 404.
const IN_A = '200 200 404 200 200 404 401 401';
const OWN = '200 404 404 200 404 404 401 401';

// Connections named by slug, and profiles named as a filter: one outside the key's scope is a 400.
const NAMED_IN_A = '200 200 400 200 200 400 401 401';
const NAMED_OWN = '200 400 400 200 400 400 401 401';

const connectionIn =
  (place: Place, fields: object = {}) =>
  async (tenant: Tenant) => ({
    connectionId: (await tenant.connection(place)).id,
    ...fields,
  });
const realIn =
  (fields: object = {}) =>
  async (tenant: Tenant) => ({
    connectionId: (await tenant.bluesky()).id,
    ...fields,
  });
const slugIn = (place: Place) => async (tenant: Tenant) => {
  const { slug } = await tenant.connection(place);
  return { text: 'Dong', connectionSlugs: [slug] };
};
const postIn =
  (place: Place, post: object = {}, fields: object = {}) =>
  async (tenant: Tenant) => ({
    postId: await tenant.post(place, post),
    ...fields,
  });
const policyOf =
  (fields: object = {}) =>
  async (tenant: Tenant) => ({ policyId: await tenant.policy(), ...fields });

const askedIn =
  (place: Place, fields: object = {}) =>
  async (tenant: Tenant) => ({ postId: await tenant.asked(place), ...fields });
const queueIn = (place: Place) => (tenant: Tenant) => tenant.queue(place);
const imageIn = (place: Place) => async (tenant: Tenant) => ({ mediaId: await tenant.image(place) });
const sessionIn = (kind: 'live' | 'test') => async (tenant: Tenant) => ({
  connectSessionId: await tenant.connectSession(kind),
});
const profileA =
  (fields: object = {}) =>
  ({ a }: Tenant) => ({ profileId: a.id, ...fields });
const keyOf =
  (type: 'live' | 'test', path: boolean) =>
  async ({ a, key }: Tenant) => ({
    keyId: (await key(type, a.id)).id,
    ...(path ? { profileId: a.id } : {}),
  });

type Registrar = Parameters<Tenant['webhook']>[0];
const webhookOf = (registrar: Registrar) => async (tenant: Tenant) => ({ webhookId: await tenant.webhook(registrar) });

const calendarOf = (maker: Registrar) => async (tenant: Tenant) => ({ calendarId: await tenant.calendar(maker) });

const importOf = (starter: Registrar) => async (tenant: Tenant) => ({ importId: await tenant.import(starter) });

const feedOf = (maker: Registrar) => async (tenant: Tenant) => ({ feedId: await tenant.feed(maker) });
const feedIn = (place: Place) => async (tenant: Tenant) => {
  const { slug } = await tenant.connection(place);
  return { url: 'http://127.0.0.1:9/feed.xml', connectionSlugs: [slug] };
};

// A webhook is managed by the keys whose scope includes the scope of the key that registered it.
const REGISTERED: readonly (readonly [Registrar, string])[] = [
  ['live', '200 404 404 404 404 404 401 401'],
  ['liveA', '200 200 404 404 404 404 401 401'],
  ['test', '200 404 404 200 404 404 401 401'],
  ['testA', IN_A],
];

/** A pending delivery of a webhook. A key that can reach it gets 400 for a replay. */
const deliveryOf = (registrar: Registrar) => async (tenant: Tenant) => {
  const webhookId = await tenant.webhook(registrar);
  return { webhookId, deliveryId: await tenant.delivery(webhookId) };
};

const verdicts: Row['count'] = ({ results }) => (results as { ok: boolean }[]).filter(({ ok }) => ok).length;

const DRAFT = { isDraft: true };
const FAILED = { text: '[[reject]]' };
const SCHEDULED = { scheduledFor: '2026-12-01T09:00:00Z' };
const LATER = { scheduledFor: '2026-12-02T09:00:00Z' };
const RANGE = { from: '2026-11-01', to: '2026-12-31' };
const TAGS = { tags: ['launch'] };
const SLOTS = { slots: [{ weekday: 1, time: '09:00' }] };

export const TABLE: readonly Row[] = [
  row(
    'connections.list',
    'one in A, one own, one in A and no sandbox',
    async (tenant) => {
      await tenant.connection('A');
      await tenant.connection('own');
      await tenant.bluesky();
      return {};
    },
    '200:3 200:2 200:0 200:2 200:1 200:0 401 401',
    ({ connections }) => connections?.length,
  ),
  row('connections.list', 'profile A', profileA(), NAMED_IN_A),
  row('connections.get', 'in A', connectionIn('A'), IN_A),
  row('connections.get', 'own', connectionIn('own'), OWN),
  row('connections.get', 'in A, not a sandbox', realIn(), '200 200 404 404 404 404 401 401'),
  row('connections.connect', 'into A', profileA({ platformId: 'sandbox', credentials: {} }), UNSCOPED_IN_A),
  row('connections.delete', 'in A', connectionIn('A'), UNSCOPED_IN_A),
  row('connections.delete', 'own', connectionIn('own'), UNSCOPED_IN_A),
  row('connections.delete', 'in A, not a sandbox', realIn(), '200 403 403 404 403 404 401 401'),
  row('connections.move', 'in A', connectionIn('A', { profileId: null }), UNSCOPED_IN_A),
  row('connections.move', 'own', connectionIn('own', { profileId: null }), UNSCOPED_IN_A),
  row('connections.move', 'in A, not a sandbox', realIn({ profileId: null }), '200 403 403 404 403 404 401 401'),
  row('connections.queue', 'in A', connectionIn('A'), IN_A),
  row('connections.queue', 'own', connectionIn('own'), OWN),
  row('connections.updateQueue', 'in A', connectionIn('A', SLOTS), IN_A),
  row('connections.updateQueue', 'own', connectionIn('own', SLOTS), OWN),
  row('connections.orderQueue', 'in A', queueIn('A'), IN_A),
  row('connections.orderQueue', 'own', queueIn('own'), OWN),
  row('connections.updateSettings', 'in A', connectionIn('A', { description: 'New' }), UNSCOPED_IN_A),
  row('connections.updateSettings', 'own', connectionIn('own', { description: 'New' }), UNSCOPED_IN_A),
  row(
    'connections.updateSettings',
    'in A, not a sandbox',
    realIn({ description: 'New' }),
    '200 403 403 404 403 404 401 401',
  ),

  row(
    'connect.create',
    'into A',
    profileA({ redirectUrl: 'https://app.example/done' }),
    '200 200 403 200 200 404 401 401',
  ),
  row(
    'connect.create',
    'into A, a real platform named',
    profileA({ redirectUrl: 'https://app.example/done', platform: 'bluesky' }),
    '200 200 403 400 400 404 401 401',
  ),
  row('connect.createLink', 'own', () => ({}), '200 403 403 200 403 200 401 401'),
  row('connect.createLink', 'into A', profileA({ platform: 'sandbox' }), UNSCOPED_IN_A),
  row(
    'connect.createLink',
    'own, a real platform named',
    () => ({ platform: 'bluesky' }),
    '200 403 403 400 403 200 401 401',
  ),
  row(
    'connect.createLink',
    'a connection in A again',
    async (tenant) => ({ reconnectConnectionId: (await tenant.connection('A')).id }),
    UNSCOPED_IN_A,
  ),
  row(
    'connect.list',
    'one in A of a live key and one of a test key',
    async (tenant) => {
      await tenant.connectSession('live');
      await tenant.connectSession('test');
      return {};
    },
    '200:2 200:2 200:0 200:1 200:1 200:0 401 401',
    ({ connectSessions }) => connectSessions?.length,
  ),
  row('connect.list', 'profile A', profileA(), NAMED_IN_A),
  row('connect.cancel', 'in A, made with a live key', sessionIn('live'), '200 200 404 404 404 404 401 401'),
  row('connect.cancel', 'in A, made with a test key', sessionIn('test'), '200 200 404 200 200 404 401 401'),
  row('connect.get', 'in A, made with a live key', sessionIn('live'), '200 200 404 404 404 404 401 401'),
  row('connect.get', 'in A, made with a test key', sessionIn('test'), '200 200 404 200 200 404 401 401'),

  row('posts.create', 'in A', slugIn('A'), NAMED_IN_A),
  row('posts.create', 'own', slugIn('own'), NAMED_OWN),
  row(
    'posts.create',
    'in A, not a sandbox',
    async (tenant) => ({ text: 'Dong', connectionSlugs: [(await tenant.bluesky()).slug], isDraft: true }),
    '200 200 400 400 400 400 401 401',
  ),
  row(
    'posts.create',
    'with profile A named',
    async (tenant) => ({ ...(await slugIn('A')(tenant)), profileId: tenant.a.id }),
    NAMED_IN_A,
  ),
  row(
    'posts.create',
    'with an image of A',
    async (tenant) => ({ ...(await slugIn('A')(tenant)), mediaIds: [await tenant.image('A')] }),
    NAMED_IN_A,
  ),
  row(
    'posts.createSimple',
    'in A',
    async (tenant) => ({ connectionSlug: (await tenant.connection('A')).slug, text: 'Dong' }),
    NAMED_IN_A,
  ),
  row(
    'posts.createSimple',
    'own',
    async (tenant) => ({ connectionSlug: (await tenant.connection('own')).slug, text: 'Dong' }),
    NAMED_OWN,
  ),
  row(
    'posts.rewrite',
    'in A',
    async (tenant) => ({ connectionSlug: (await tenant.connection('A')).slug, text: 'Dong' }),
    NAMED_IN_A,
  ),
  row(
    'posts.rewrite',
    'own',
    async (tenant) => ({ connectionSlug: (await tenant.connection('own')).slug, text: 'Dong' }),
    NAMED_OWN,
  ),
  row('posts.validate', 'in A', slugIn('A'), '200:1 200:1 200:0 200:1 200:1 200:0 401 401', verdicts),
  row('posts.validate', 'own', slugIn('own'), '200:1 200:0 200:0 200:1 200:0 200:0 401 401', verdicts),
  row('posts.update', 'in A', postIn('A', DRAFT, { text: 'Dong' }), IN_A),
  row('posts.update', 'own', postIn('own', DRAFT, { text: 'Dong' }), OWN),
  row('posts.setTags', 'in A', postIn('A', {}, TAGS), IN_A),
  row('posts.setTags', 'own', postIn('own', {}, TAGS), OWN),
  row('posts.publish', 'in A', postIn('A', DRAFT), IN_A),
  row('posts.publish', 'own', postIn('own', DRAFT), OWN),
  row('posts.retry', 'in A', postIn('A', FAILED), IN_A),
  row('posts.retry', 'own', postIn('own', FAILED), OWN),
  row('posts.reschedule', 'in A', postIn('A', SCHEDULED, LATER), IN_A),
  row('posts.reschedule', 'own', postIn('own', SCHEDULED, LATER), OWN),
  row(
    'posts.list',
    'one in A, one own',
    async (tenant) => {
      await tenant.post('A');
      await tenant.post('own');
      return {};
    },
    '200:2 200:1 200:0 200:2 200:1 200:0 401 401',
    ({ posts }) => posts?.length,
  ),
  row('posts.list', 'profile A', profileA(), NAMED_IN_A),
  row(
    'posts.calendar',
    'one in A, one own',
    async (tenant) => {
      await tenant.post('A');
      await tenant.post('own', SCHEDULED);
      return RANGE;
    },
    '200:2 200:1 200:0 200:2 200:1 200:0 401 401',
    ({ posts }) => posts?.length,
  ),
  row('posts.calendar', 'profile A', profileA(RANGE), NAMED_IN_A),
  row('posts.get', 'in A', postIn('A'), IN_A),
  row('posts.get', 'own', postIn('own'), OWN),
  row('posts.delete', 'in A', postIn('A'), IN_A),
  row('posts.delete', 'own', postIn('own'), OWN),
  row('posts.attempts', 'in A', postIn('A'), IN_A),
  row('posts.attempts', 'own', postIn('own'), OWN),
  row('posts.events', 'in A', postIn('A'), IN_A),
  row('posts.events', 'own', postIn('own'), OWN),
  row('posts.metrics', 'in A', postIn('A'), IN_A),
  row('posts.metrics', 'own', postIn('own'), OWN),

  row(
    'approvals.list',
    'one in A, one own',
    async (tenant) => {
      await tenant.asked('A');
      await tenant.asked('own');
      return {};
    },
    '200:2 200:1 200:0 200:2 200:1 200:0 401 401',
    ({ approvals }) => approvals?.length,
  ),
  row('stops.start', '', () => ({}), '201 403 403 403 403 201 401 401'),
  row(
    'stops.list',
    'of the account',
    async (tenant) => {
      await tenant.stop();
      return {};
    },
    '200:1 200:1 200:1 200:1 200:1 200:0 401 401',
    ({ stops }) => stops?.length,
  ),
  row(
    'stops.release',
    '',
    async (tenant) => ({ stopId: await tenant.stop(), posts: 'send' }),
    '200 403 403 403 403 404 401 401',
  ),
  row(
    'policies.list',
    'of the account',
    async (tenant) => {
      await tenant.policy();
      return {};
    },
    '200:1 200:0 200:0 200:0 200:0 200:0 401 401',
    ({ policies }) => policies?.length,
  ),
  row('policies.get', '', policyOf(), '200 403 403 404 403 404 401 401'),
  row('policies.set', '', policyOf({ postsPerDay: 2 }), '200 403 403 404 403 404 401 401'),
  row('policies.try', '', policyOf({ postsPerDay: 2 }), '200 403 403 404 403 404 401 401'),
  row('policies.remove', '', policyOf(), '200 403 403 404 403 404 401 401'),
  row('approvals.approve', 'in A', askedIn('A'), UNSCOPED_IN_A),
  row('approvals.approve', 'own', askedIn('own'), UNSCOPED_IN_A),
  row('approvals.reject', 'in A', askedIn('A', { reason: 'No.' }), UNSCOPED_IN_A),
  row('approvals.reject', 'own', askedIn('own', { reason: 'No.' }), UNSCOPED_IN_A),

  row(
    'analytics.get',
    'one in A, one own',
    async (tenant) => {
      await tenant.post('A');
      await tenant.post('own');
      return {};
    },
    '200:2 200:1 200:0 200:2 200:1 200:0 401 401',
    ({ days = [] }) => (days as { posts: number }[]).reduce((total, { posts }) => total + posts, 0),
  ),
  row('analytics.get', 'profile A', profileA(), NAMED_IN_A),

  row(
    'media.upload',
    '',
    () => ({ bytes: IMAGE.toString('base64'), contentType: 'image/png', altText: 'A square' }),
    ANYONE,
  ),
  // No server listens there.
  row('media.uploadFromUrl', '', () => ({ url: 'http://127.0.0.1:9/bell.png' }), '422 422 422 422 422 422 401 401'),
  row(
    'media.list',
    'one in A, one own',
    async (tenant) => {
      await tenant.image('A');
      await tenant.image('own');
      return {};
    },
    '200:2 200:1 200:0 200:2 200:1 200:0 401 401',
    ({ media }) => media?.length,
  ),
  row('media.raw', 'in A', imageIn('A'), IN_A),
  row('media.raw', 'own', imageIn('own'), OWN),
  row('media.get', 'in A', imageIn('A'), IN_A),
  row('media.get', 'own', imageIn('own'), OWN),
  // The install has no model; who does not reach the image is not told so.
  row('media.proposeAltText', 'in A', imageIn('A'), '409 409 404 409 409 404 401 401'),
  row('media.proposeAltText', 'own', imageIn('own'), '409 404 404 409 404 404 401 401'),
  row('media.delete', 'in A', imageIn('A'), IN_A),
  row('media.delete', 'own', imageIn('own'), OWN),

  row('profiles.create', '', () => ({ name: 'C' }), '200 403 403 200 403 200 401 401'),
  row(
    'profiles.list',
    '',
    () => ({}),
    '200:2 403 403 200:2 403 200:0 401 401',
    ({ profiles }) => profiles?.length,
  ),
  row('profiles.get', 'A', profileA(), '200 200 403 200 200 404 401 401'),
  row('profiles.voice', 'A', profileA(), '200 200 403 200 200 404 401 401'),
  // The voice words live posts, and A has a live key.
  row('profiles.setVoice', 'A', profileA({ rules: ['Be brief.'] }), '200 403 403 403 403 404 401 401'),
  row(
    'profiles.setVoice',
    'B without live keys',
    async ({ b, withoutLiveKeys }) => {
      await withoutLiveKeys(b.id);
      return { profileId: b.id, rules: ['Be brief.'] };
    },
    UNSCOPED_IN_A,
  ),
  row('profiles.update', 'A', profileA({ name: 'New' }), UNSCOPED_IN_A),
  // A test key cannot revoke A's live key.
  row('profiles.delete', 'A', profileA(), '200 403 403 403 403 404 401 401'),
  row(
    'profiles.delete',
    'B without live keys',
    async ({ b, withoutLiveKeys }) => {
      await withoutLiveKeys(b.id);
      return { profileId: b.id };
    },
    UNSCOPED_IN_A,
  ),

  row('keys.mint', 'live, of A', profileA({ name: 'K', type: 'live' }), '201 403 403 403 403 404 401 401'),
  row('keys.mint', 'test, of A', profileA({ name: 'K', type: 'test' }), '201 403 403 201 403 404 401 401'),
  // A test key sees one of the two keys of A, and two of the five of the account.
  row('keys.listOfProfile', 'A', profileA(), '200:2 403 403 200:1 403 404 401 401', ({ keys }) => keys?.length),
  row('keys.revokeOfProfile', 'live, of A', keyOf('live', true), '200 403 403 404 403 404 401 401'),
  row('keys.revokeOfProfile', 'test, of A', keyOf('test', true), UNSCOPED_IN_A),
  row(
    'keys.list',
    '',
    () => ({}),
    '200:5 403 403 200:2 403 200:1 401 401',
    ({ keys }) => keys?.length,
  ),
  row('keys.revoke', 'live, of A', keyOf('live', false), '200 403 403 404 403 404 401 401'),
  row('keys.revoke', 'test, of A', keyOf('test', false), UNSCOPED_IN_A),

  row('calendars.create', '', () => ({}), ANYONE),
  row('calendars.create', 'of A', profileA(), IN_A),
  row('calendars.create', 'of a connection in A', connectionIn('A'), IN_A),
  row('calendars.create', 'of an own connection', connectionIn('own'), OWN),
  row(
    'calendars.list',
    '',
    async (tenant) => {
      for (const [registrar] of REGISTERED) await tenant.calendar(registrar);
      return {};
    },
    '200:4 200:2 200:0 200:2 200:1 200:0 401 401',
    ({ calendars }) => calendars?.length,
  ),
  ...REGISTERED.flatMap(([registrar, statuses]) => [
    row('calendars.renew', `of ${registrar}`, calendarOf(registrar), statuses),
    row('calendars.revoke', `of ${registrar}`, calendarOf(registrar), statuses),
  ]),
  row('imports.start', '', () => ({ format: 'json', content: '[{"text":"Dong"}]' }), ANYONE),
  row(
    'imports.list',
    '',
    async (tenant) => {
      for (const [registrar] of REGISTERED) await tenant.import(registrar);
      return {};
    },
    '200:4 200:2 200:0 200:2 200:1 200:0 401 401',
    ({ imports }) => imports?.length,
  ),
  ...REGISTERED.flatMap(([registrar, statuses]) => [
    row('imports.get', `of ${registrar}`, importOf(registrar), statuses),
    row('imports.cancel', `of ${registrar}`, importOf(registrar), statuses),
  ]),
  row('feeds.create', 'for A', feedIn('A'), NAMED_IN_A),
  row('feeds.create', 'for an own connection', feedIn('own'), NAMED_OWN),
  row('feeds.preview', '', () => ({ url: 'http://127.0.0.1:9/feed' }), ANYONE),
  row(
    'feeds.list',
    '',
    async (tenant) => {
      await tenant.feed('live');
      await tenant.feed('testA');
      return {};
    },
    '200:2 200:1 200:0 200:1 200:1 200:0 401 401',
    ({ feeds }) => feeds?.length,
  ),
  ...REGISTERED.flatMap(([registrar, statuses]) => [
    row('feeds.get', `of ${registrar}`, feedOf(registrar), statuses),
    row('feeds.poll', `of ${registrar}`, feedOf(registrar), statuses),
    row(
      'feeds.update',
      `of ${registrar}`,
      async (tenant) => ({ ...(await feedOf(registrar)(tenant)), delivery: 'queue' }),
      statuses,
    ),
    row('feeds.delete', `of ${registrar}`, feedOf(registrar), statuses),
  ]),
  row('webhooks.create', '', () => ({ url: 'http://127.0.0.1:9/hook' }), ANYONE),
  row(
    'webhooks.list',
    'one of every key',
    async (tenant) => {
      for (const [registrar] of REGISTERED) await tenant.webhook(registrar);
      return {};
    },
    '200:4 200:2 200:0 200:2 200:1 200:0 401 401',
    ({ webhooks }) => webhooks?.length,
  ),
  ...REGISTERED.flatMap(([registrar, statuses]) => [
    row(
      'webhooks.update',
      `of ${registrar}`,
      async (tenant) => ({ ...(await webhookOf(registrar)(tenant)), description: 'Mine' }),
      statuses,
    ),
    row('webhooks.rotateSecret', `of ${registrar}`, webhookOf(registrar), statuses),
    row('webhooks.delete', `of ${registrar}`, webhookOf(registrar), statuses),
    row('webhooks.deliveries', `of ${registrar}`, webhookOf(registrar), statuses),
    row('webhooks.test', `of ${registrar}`, webhookOf(registrar), statuses),
    row('webhooks.delivery', `of ${registrar}`, deliveryOf(registrar), statuses),
    row('webhooks.replay', `of ${registrar}`, deliveryOf(registrar), statuses.replaceAll('200', '400')),
  ]),

  row('account.get', '', () => ({}), UNSCOPED_LIVE),
  row('account.update', '', () => ({ xAnalytics: false }), UNSCOPED_LIVE),
  row('audit.list', '', () => ({}), UNSCOPED_LIVE),
  row('platforms.list', '', () => ({}), ANYONE),
  row('public.health', '', () => ({}), '200 200 200 200 200 200 200 200'),
  row('public.healthHistory', '', () => ({}), '200 200 200 200 200 200 200 200'),
  row('public.stats', '', () => ({}), '200 200 200 200 200 200 200 200'),
  row('simulation.clock', '', () => ({}), '200 403 403 200 403 200 401 401'),
  row('simulation.advance', '', () => ({ advanceSeconds: 1 }), '200 403 403 200 403 200 401 401'),
];
