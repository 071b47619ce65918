/** The answer of a proxy in front of a platform is not the platform's: nothing fails for good, and no connection ends. */
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { PlatformId } from '../../platforms/registry.ts';
import { scriptNetwork } from '../harness/scripted-network.ts';
import { START } from '../harness/test-clock.ts';
import { startWorld } from '../harness/world.ts';
import { PROXY_ERRORS, shownAnswer } from './proxy-answers.ts';
import { startPlatformServers } from './servers/index.ts';

const HOUR_S = 3_600;

let now = () => START;
const started = await startPlatformServers({ now: () => now() });
afterAll(() => started[Symbol.asyncDispose]());
const world = await startWorld({ clock: 'manual', env: started.env });
now = () => world.clock.now();
const network = scriptNetwork(world);
afterEach(() => {
  network.script = null;
});

const serverOf = (platformId: PlatformId) => started.all.find((one) => one.platformId === platformId);
const advance = (advanceSeconds: number) => world.rest('POST /simulation/clock', { body: { advanceSeconds } });

async function connectTo(platformId: PlatformId) {
  const { credentials } = serverOf(platformId) ?? {};
  const { id: profileId } = await world.profile();
  const { connection } = (await world.rest('POST /connections', { body: { platformId, credentials, profileId } })).body;
  const text = `behind a proxy ${connection.id}`;
  const posted = { text, connectionSlugs: [connection.slug], profileId };
  return {
    post: async (more: object = {}) =>
      (await world.rest('POST /posts', { body: { ...posted, ...more } })).body.results[0],
    reconnectRequired: async () =>
      (await world.rest(`GET /connections/${connection.id}`)).body.connection.reconnectRequired,
    text,
  };
}

describe('a send', () => {
  const PLATFORMS = ['bluesky', 'mastodon', 'linkedin', 'facebook', 'threads', 'x', 'reddit', 'telegram', 'discord'];
  const rows = [...PLATFORMS, 'slack', 'sms'].flatMap((platformId) =>
    PROXY_ERRORS.map((answer) => ({
      platformId: platformId as PlatformId,
      answer,
      shown: shownAnswer(answer),
    })),
  );

  it.for(rows)('to $platformId is not refused by $shown', async ({ platformId, answer }) => {
    const connection = await connectTo(platformId);
    network.script = () => answer;

    const { status, error } = await connection.post();

    expect([status, error.code]).toEqual([
      'failed',
      expect.stringMatching(/^(?:outcome_unknown|platform_unavailable)$/),
    ]);
    expect(await connection.reconnectRequired()).toBe(null);
  });

  it.for(['bluesky', 'mastodon'] as const)(
    'to %s that a proxy answers with a text is searched for and repeated, so that it is up once',
    async (platformId) => {
      const connection = await connectTo(platformId);
      const scheduledFor = new Date(world.clock.now().getTime() + HOUR_S * 1_000).toISOString();
      const { postId } = await connection.post({ scheduledFor });
      let isAnswered = false;
      network.script = (_url, { method = 'GET' }) => {
        if (isAnswered || method === 'GET') return undefined;
        isAnswered = true;
        return { status: 404, text: '404 page not found\n' };
      };

      await advance(2 * HOUR_S);

      expect((await world.rest(`GET /posts/${postId}`)).body.post).toMatchObject({ status: 'sent', error: null });
      const made = (await serverOf(platformId)?.existing())?.filter((text) => text === connection.text);
      expect([isAnswered, made]).toEqual([true, [connection.text]]);
    },
  );
});

describe('a read of metrics', () => {
  it.for(['bluesky', 'mastodon', 'linkedin'] as const)(
    'on %s that a proxy answers with a text is repeated later: the post is not taken for deleted',
    async (platformId) => {
      const { postId } = await (await connectTo(platformId)).post();
      const history = async () => (await world.rest(`GET /posts/${postId}/metrics`)).body.history;
      await advance(2 * HOUR_S);
      const before = await history();
      network.script = () => ({ status: 404, text: '404 page not found\n' });
      await advance(24 * HOUR_S);
      const during = await history();
      network.script = null;

      await advance(26 * HOUR_S);

      expect(during).toEqual(before);
      expect((await history()).length).toBeGreaterThan(before.length);
    },
  );
});
