/** What every platform promises the rest of the house, shown through the product's own REST against a server of its kind. */
import { afterAll, describe, expect, it } from 'vitest';
import { PLATFORM_IDS, type PlatformId } from '../../platforms/registry.ts';
import { START } from '../harness/test-clock.ts';
import { startWorld, type World } from '../harness/world.ts';
import { type FakeBluesky, startFakeBluesky } from './fakes/fake-bluesky.ts';
import { type FakeFacebook, startFakeFacebook } from './fakes/fake-facebook.ts';
import { type FakeMastodon, startFakeMastodon } from './fakes/fake-mastodon.ts';
import { type FakeX, startFakeX } from './fakes/fake-x.ts';
import type { Fault } from './fakes/wire.ts';

const now = () => START;
const blueskyServer = await startFakeBluesky({ now });
const mastodonServer = await startFakeMastodon({ now });
const facebookServer = await startFakeFacebook({ now });
const xServer = await startFakeX({ now });
const world = await startWorld({
  env: { BLUESKY_SERVICE_URL: blueskyServer.url, META_GRAPH_URL: facebookServer.url, X_API_URL: xServer.url },
});
afterAll(() => Promise.all([blueskyServer.close(), mastodonServer.close(), facebookServer.close(), xServer.close()]));

const FAMILY = '👩‍👩‍👧‍👦';

/** A platform's other side, as the tests steer it. */
interface Stand {
  readonly platformId: PlatformId;
  readonly maxLength: number;
  /** How many times an emoji of seven code points fits, 25 bytes each. */
  readonly maxFamilies: number;
  readonly credentials: unknown;
  /** A text that meets this fault when it is posted; a server that faults by itself is set up on the way. */
  textMeeting(fault: Fault, text: string): string;
  /** Texts that stand on the platform, oldest first. */
  standing(): Promise<string[]>;
  /** Voids the login. */
  revoke(): void;
}

function blueskyStand(server: FakeBluesky): Stand {
  const account = server.addAccount('alice.test', 'abcd-efgh-ijkl-mnop');
  return {
    platformId: 'bluesky',
    maxLength: 300,
    // 3000 bytes are reached before 300 graphemes are.
    maxFamilies: 120,
    credentials: { identifier: 'alice.test', appPassword: 'abcd-efgh-ijkl-mnop' },
    textMeeting: (fault, text) => {
      server.faults.push(fault);
      return text;
    },
    standing: async () => server.posts().map((post) => post.record.text),
    revoke: () => {
      account.appPasswords.clear();
      server.dropRefreshTokens();
      server.faults.push('token_expired');
    },
  };
}

function mastodonStand(server: FakeMastodon): Stand {
  const account = server.addAccount('alice', 'token-of-alice');
  return {
    platformId: 'mastodon',
    maxLength: 500,
    maxFamilies: 500,
    credentials: { instanceUrl: server.url, accessToken: 'token-of-alice' },
    textMeeting: (fault, text) => {
      server.faults.push(fault);
      return text;
    },
    standing: async () => server.posts().map((post) => post.text),
    revoke: () => account.tokens.clear(),
  };
}

function facebookStand(server: FakeFacebook): Stand {
  const page = server.addPage('104000000000001', 'The Bells', 'token-of-the-bells');
  return {
    platformId: 'facebook',
    maxLength: 63_206,
    // Every code point counts.
    maxFamilies: 9_029,
    credentials: { pageId: page.id, accessToken: 'token-of-the-bells' },
    textMeeting: (fault, text) => {
      server.faults.push(fault);
      return text;
    },
    standing: async () => server.posts().map((post) => post.message),
    revoke: () => page.tokens.clear(),
  };
}

function xStand(server: FakeX): Stand {
  const account = server.addAccount('alice', 'token-of-alice');
  return {
    platformId: 'x',
    maxLength: 280,
    // An emoji weighs 2, however many code points it has.
    maxFamilies: 140,
    credentials: { accessToken: 'token-of-alice' },
    textMeeting: (fault, text) => {
      server.faults.push(fault);
      return text;
    },
    standing: async () => server.posts().map((post) => post.text),
    revoke: () => account.accessTokens.clear(),
  };
}

/** What the sandbox's directives call the faults that a real server has by itself. */
const DIRECTIVES: Partial<Record<Fault, string>> = { rate_limited: '[[unavailable]]', drops_after: '[[lost]]' };

function sandboxStand({ sql }: World): Stand {
  return {
    platformId: 'sandbox',
    maxLength: 500,
    maxFamilies: 500,
    credentials: {},
    textMeeting: (fault, text) => `${text} ${DIRECTIVES[fault]}`,
    standing: async () => {
      const rows = await sql<{ text: string }>('select text from sandbox_posts where deleted_at is null order by id');
      return rows.map(({ text }) => text);
    },
    revoke: () => undefined,
  };
}

const stands: readonly Stand[] = [
  blueskyStand(blueskyServer),
  mastodonStand(mastodonServer),
  facebookStand(facebookServer),
  xStand(xServer),
  sandboxStand(world),
];

async function connect(stand: Stand): Promise<string> {
  const { platformId, credentials } = stand;
  const { body } = await world.rest('POST /connections', {
    body: { platformId, credentials, slug: `to-${platformId}` },
  });
  return body.connection.slug;
}

async function post(slug: string, text: string) {
  const { body } = await world.rest('POST /posts', { body: { text, connectionSlugs: [slug] } });
  return body.results[0];
}

it('is shown for every platform there is', () => {
  expect(stands.map(({ platformId }) => platformId)).toEqual([...PLATFORM_IDS]);
});

describe.for(stands)('$platformId', (stand) => {
  let slug = '';
  const standingCount = async (text: string) => (await stand.standing()).filter((one) => one === text).length;

  it('connects an account whose credentials it accepts', async () => {
    slug = await connect(stand);

    expect(slug).toBe(`to-${stand.platformId}`);
  });

  it('takes a text of exactly its limit', async () => {
    const text = 'é'.repeat(stand.maxLength);

    const result = await post(slug, text);

    expect([result.status, result.error, await standingCount(text)]).toEqual(['sent', null, 1]);
  });

  it('is never called with a text one over its limit', async () => {
    const text = 'n'.repeat(stand.maxLength + 1);

    const result = await post(slug, text);

    expect(result).toEqual({
      connectionSlug: slug,
      status: 'failed',
      postId: null,
      url: null,
      scheduledFor: null,
      threadCount: 0,
      hasFirstComment: false,
      error: {
        code: 'platform_rejected',
        message: expect.stringMatching(
          new RegExp(`${stand.maxLength + 1} (weighted )?characters.*at most ${stand.maxLength}`),
        ),
      },
    });
    expect(await standingCount(text)).toBe(0);
  });

  it('counts an emoji of several code points as it says it does', async () => {
    const fitting = await post(slug, FAMILY.repeat(stand.maxFamilies));
    const tooLong = await post(slug, FAMILY.repeat(stand.maxFamilies + 1));

    expect([fitting.error, tooLong.error.code, tooLong.postId]).toEqual([null, 'platform_rejected', null]);
  });

  it('posts nothing when it asks to wait, and says so', async () => {
    const text = stand.textMeeting('rate_limited', 'refused for now');

    const result = await post(slug, text);

    expect([result.status, result.error.code, await standingCount(text)]).toEqual([
      'failed',
      'platform_unavailable',
      0,
    ]);
  });

  it('keeps one post, and knows it, when its answer is dropped after accepting', async () => {
    const text = stand.textMeeting('drops_after', 'answered into the void');

    const result = await post(slug, text);

    expect([result.status, await standingCount(text)]).toEqual(['sent', 1]);
    expect(result.url).toEqual(expect.stringMatching(/^https?:\/\//));
  });

  it.runIf(stand.platformId !== 'sandbox').for(['drops_before', 'fails_before'] as const)(
    'is found without the post after it %s storing, and the caller may resend',
    async (fault) => {
      const text = stand.textMeeting(fault, `never stored: ${fault}`);

      const result = await post(slug, text);

      expect([result.status, result.error.code, await standingCount(text)]).toEqual([
        'failed',
        'platform_unavailable',
        0,
      ]);
    },
  );

  it.runIf(stand.platformId !== 'sandbox')('keeps one post when it answers 500 after storing it', async () => {
    const text = stand.textMeeting('fails_after', 'stored, then failed');

    const result = await post(slug, text);

    expect([result.status, await standingCount(text)]).toEqual(['sent', 1]);
  });

  it('takes a post down, and answers a repeated delete the same', async () => {
    const { postId } = await post(slug, 'soon gone');

    const first = await world.rest(`DELETE /posts/${postId}`);
    const second = await world.rest(`DELETE /posts/${postId}`);

    expect(first.body).toEqual({ id: postId, status: 'deleted', deletedAt: START.toISOString() });
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await standingCount('soon gone')).toBe(0);
  });

  it('asks to reconnect once its login is dead', async () => {
    stand.revoke();
    const text = stand.platformId === 'sandbox' ? 'locked out [[reconnect]]' : 'locked out';

    const result = await post(slug, text);

    expect([result.status, result.error.code, await standingCount(text)]).toEqual(['failed', 'reconnect_required', 0]);
  });
});
