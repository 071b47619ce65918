/** What a platform has reported of a post stays when it reports nothing any more. */
import { afterAll, expect, it } from 'vitest';
import { readDueMetrics } from '../../../services/metrics/read-due-metrics.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { type FakeLinkedIn, startFakeLinkedIn } from '../../platforms/fakes/fake-linkedin.ts';

const HOUR = 3_600_000;
const PAGE = '2414183';
const DENIED = { status: 403, json: { status: 403, code: 'ACCESS_DENIED', message: 'Not enough permissions' } };
const STATISTICS = 'GET /rest/organizationalEntityShareStatistics';
const ACTIONS = 'GET /rest/socialActions/:id';

const linkedin = await startFakeLinkedIn({ now: () => world.clock.now() });
afterAll(() => linkedin.close());
const world = await startWorld({ env: { LINKEDIN_API_URL: linkedin.url, LINKEDIN_AUTH_URL: linkedin.url } });
linkedin.addMember('a1B2', 'Alice', 'token-of-alice').roles.set(PAGE, 'ADMINISTRATOR');
linkedin.addPage(PAGE, 'The Bells', 'the-bells');

async function postTo(organizationId: string | undefined, text: string) {
  const { key } = await makeAccount(world);
  const credentials = { accessToken: 'token-of-alice', ...(organizationId !== undefined && { organizationId }) };
  await world.rest('POST /connections', { key, body: { platformId: 'linkedin', credentials, slug: 'bells' } });
  const { postId } = await makePost(world, 'bells', { key, text });
  const urn = linkedin.posts().at(-1)?.urn ?? '';
  linkedin.numbers.set(urn, { impressionCount: 900, likeCount: 7, commentCount: 4, clickCount: 30, shareCount: 0 });
  const nextHour = () => {
    world.clock.advance(HOUR);
    return readDueMetrics(world.context, new AbortController().signal);
  };
  const shown = async () => ({
    totals: (await world.rest('GET /analytics', { key })).body.totals,
    metrics: (await world.rest(`GET /posts/${postId}/metrics`, { key })).body,
  });
  return { urn, nextHour, shown };
}

const OF_PAGE = { impressions: 900, likes: 7, reposts: null, replies: 4, clicks: 30 };
const OF_MEMBER = { impressions: null, likes: 7, reposts: null, replies: 4, clicks: null };

it.each<{
  readonly what: string;
  readonly organizationId?: string;
  readonly reported: object;
  readonly route: string;
  readonly happens: (server: FakeLinkedIn, urn: string) => unknown;
}>([
  {
    what: 'a page’s post that was deleted there',
    organizationId: PAGE,
    reported: OF_PAGE,
    route: STATISTICS,
    happens: ({ numbers }, urn) => numbers.delete(urn),
  },
  {
    what: 'a page’s post whose metrics LinkedIn withholds',
    organizationId: PAGE,
    reported: OF_PAGE,
    route: STATISTICS,
    happens: ({ answers }) => (answers[STATISTICS] = [DENIED]),
  },
  {
    what: 'a member’s post whose metrics LinkedIn withholds',
    reported: OF_MEMBER,
    route: ACTIONS,
    happens: ({ answers }) => (answers[ACTIONS] = [DENIED]),
  },
])('keeps the metrics of $what, and asks again an hour later', async (scene) => {
  const { what, organizationId, reported, route, happens } = scene;
  const { urn, nextHour, shown } = await postTo(organizationId, `Ding of ${what}`);
  await nextHour();
  const before = await shown();

  happens(linkedin, urn);
  const asked = linkedin.calls[route] ?? 0;
  await nextHour();

  const read = { fetchedAt: new Date(world.clock.now().getTime() - HOUR).toISOString(), ...reported };
  expect(before.metrics).toEqual({ latest: read, history: [read] });
  expect(before.totals).toMatchObject({ posts: 1, readPosts: 1, likes: 7, replies: 4 });
  expect(await shown()).toEqual(before);
  expect((linkedin.calls[route] ?? 0) - asked).toBe(1);
  await nextHour();
  expect((linkedin.calls[route] ?? 0) - asked).toBe(2);
  await world.sql('update posts set next_read_at = null');
});
