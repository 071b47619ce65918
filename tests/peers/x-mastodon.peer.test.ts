/**
 * X and Mastodon: every call of the adapters, and every answer of the fakes, against the platforms' own descriptions.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { OutgoingImage, Published, SendPart } from '../../platforms/contract.ts';
import { mastodon } from '../../platforms/mastodon/index.ts';
import { x } from '../../platforms/x/index.ts';
import { startFakeMastodon } from '../platforms/fakes/fake-mastodon.ts';
import { startFakeX } from '../platforms/fakes/fake-x.ts';
import { headPart, sessionOf, StoppedClock, testIo } from '../platforms/harness.ts';
import { plain } from '../harness/images.ts';
import { checkAgainstDescription } from './description-oracle.ts';
import { ensureOracle, peerScript } from './ensure-peers.ts';

const script = peerScript('oracle.mjs');
const ofX = peerScript('descriptions/x.json');
const ofMastodon = peerScript('descriptions/mastodon.json');

/** The default instance information of a server. */
const LIMITS = {
  statuses: { max_characters: 500, max_media_attachments: 4, characters_reserved_per_url: 23 },
  media_attachments: {
    supported_mime_types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
    image_size_limit: 16_777_216,
    image_matrix_limit: 33_177_600,
    video_size_limit: 103_809_024,
    video_frame_rate_limit: 120,
    video_matrix_limit: 8_294_400,
    description_limit: 1_500,
  },
};

/** For all calls of a scenario, each checked. */
const TIME_MS = 120_000;

beforeAll(async () => {
  if (script !== undefined) await ensureOracle();
});

const clock = new StoppedClock();
const picture = async (): Promise<OutgoingImage> => ({
  mediaId: 'm',
  bytes: await plain(3, 2).png().toBuffer(),
  contentType: 'image/png',
  width: 3,
  height: 2,
  altText: 'A bell',
});
const part = (text: string, more: Partial<SendPart> = {}): SendPart => ({
  ...headPart(text, `token of ${text}`, clock.now()),
  ...more,
});

describe.skipIf(script === undefined || ofX === undefined)('X', () => {
  it('finds no mismatch in any call or answer', async () => {
    const fake = await startFakeX({ now: clock.now });
    fake.addAccount('alice', 'token-of-alice');
    const io = testIo(clock.now, { X_API_URL: fake.url }, TIME_MS);

    const verdict = await checkAgainstDescription({
      script: script ?? '',
      description: ofX ?? '',
      base: '',
      // The description has newer names for query fields than X's own documentation, which X accepts too.
      looseQuery: true,
      io,
      scenario: async (way) => {
        const session = sessionOf(await x.connectAccount({ accessToken: 'token-of-alice' }, way));
        const prepared = (await x.prepare?.(session, [await picture()], way)) ?? null;
        const head = await x.publish(session, part('head', { prepared }), way);
        const reply = part('reply', { step: 'reply', root: head, parent: head });
        const made: Published[] = [head, await x.publish(session, reply, way)];
        await x.readBack?.(session, part('head'), way);
        for (const one of made.toReversed()) await x.remove?.(session, one, way);
      },
    });
    await fake.close();

    expect(verdict).toEqual({
      calls: [
        'DELETE /2/tweets/{id}',
        'GET /2/users/me',
        'POST /2/media/metadata',
        'POST /2/media/upload',
        'POST /2/tweets',
      ],
      complaints: [],
    });
  });
});

describe.skipIf(script === undefined || ofMastodon === undefined)('Mastodon', () => {
  it('finds no mismatch in any call or answer', async () => {
    const fake = await startFakeMastodon({ now: clock.now, mediaConfiguration: LIMITS });
    fake.addAccount('alice', 'token-of-alice');
    const io = testIo(clock.now, {}, TIME_MS);

    const verdict = await checkAgainstDescription({
      script: script ?? '',
      description: ofMastodon ?? '',
      base: '',
      io,
      scenario: async (way) => {
        const credentials = { instanceUrl: fake.url, accessToken: 'token-of-alice' };
        const session = sessionOf(await mastodon.connectAccount(credentials, way));
        const prepared = (await mastodon.prepare?.(session, [await picture()], way)) ?? null;
        const head = await mastodon.publish(session, part('head', { prepared }), way);
        const reply = part('reply', { step: 'reply', root: head, parent: head });
        const made: Published[] = [head, await mastodon.publish(session, reply, way)];
        await mastodon.readBack?.(session, part('head'), way);
        for (const one of made.toReversed()) await mastodon.remove?.(session, one, way);
      },
    });
    await fake.close();

    expect(verdict).toEqual({
      calls: [
        'DELETE /api/v1/statuses/{id}',
        'GET /api/v1/accounts/verify_credentials',
        'GET /api/v2/instance',
        'POST /api/v1/statuses',
        'POST /api/v2/media',
      ],
      complaints: [],
    });
  });
});
