/** Tasks with threads and images. */
import { deepEqual, equal, match } from 'node:assert/strict';
import type { Task } from '../task.ts';

const FIVE = ['One: listen.', 'Two: cast.', 'Three: tune.', 'Four: hang.', 'Five: ring.'];

const image =
  (name: string): NonNullable<Task['arrange']> =>
  async (scene) => ({ url: scene.image(name) });

export const threadsAndImages: readonly Task[] = [
  {
    id: 'publish a thread of five',
    connections: ['mastodon'],
    ask: `Post a thread on Mastodon: ${FIVE.map((text) => `“${text}”`).join(' ')}`,
    solve: async (reader) => {
      await reader.call('list_connections');
      const [text, ...thread] = FIVE;
      await reader.call('create_post', { text, thread, connectionSlugs: ['mastodon'] });
    },
    check: (scene) => scene.hasPosts([{ text: FIVE[0], thread: FIVE.slice(1), threadCount: 4, status: 'sent' }]),
  },
  {
    id: 'schedule a thread on two platforms',
    connections: ['bluesky', 'x'],
    ask: 'It is Saturday 21 November 2026. Schedule a thread for Monday 12:00 UTC on Bluesky and X: “Why bells?” “Because they carry.”',
    solve: async (reader) => {
      await reader.call('list_connections');
      await reader.call('create_post', {
        text: 'Why bells?',
        thread: ['Because they carry.'],
        connectionSlugs: ['bluesky', 'x'],
        scheduledFor: '2026-11-23T12:00:00Z',
      });
    },
    check: (scene) => {
      const post = { text: 'Why bells?', thread: ['Because they carry.'], scheduledFor: '2026-11-23T12:00:00.000Z' };
      return scene.hasPosts(
        ['bluesky', 'x'].map((connectionSlug) => ({ ...post, connectionSlug, status: 'scheduled' })),
      );
    },
  },
  {
    id: 'join a thread where there are none',
    connections: ['linkedin'],
    ask: 'Post “Part one.” and “Part two.” as a thread on LinkedIn; if LinkedIn has no threads, as one post with both sentences.',
    solve: async (reader) => {
      await reader.call('list_connections');
      const wish = { text: 'Part one.', connectionSlugs: ['linkedin'] };
      const { results } = await reader.call('create_post', { ...wish, thread: ['Part two.'] });
      equal(results[0].error.code, 'shape_unsupported');
      await reader.call('create_post', { ...wish, text: 'Part one. Part two.' });
    },
    check: async (scene) => {
      const sent = (await scene.all()).filter(({ status }) => status === 'sent');
      equal(sent.length, 1);
      match(sent[0].text, /^Part one\.\s+Part two\.$/);
    },
  },
  {
    id: 'shorten the part of a thread that is too long',
    connections: ['bluesky'],
    ask: `Post a thread on Bluesky: “Short.” and then “${'Long '.repeat(70).trim()}”; if the second part is too long, cut it to its first ten words.`,
    solve: async (reader) => {
      await reader.call('list_connections');
      const long = 'Long '.repeat(70).trim();
      const wish = { text: 'Short.', thread: [long], connectionSlugs: ['bluesky'] };
      const { results } = await reader.call('validate_post', wish);
      match(results[0].error.message, /thread|part|reply/i);
      await reader.call('create_post', { ...wish, thread: ['Long '.repeat(10).trim()] });
    },
    check: (scene) => scene.hasPosts([{ status: 'sent', text: 'Short.', thread: ['Long '.repeat(10).trim()] }]),
  },
  {
    id: 'publish an image with its description',
    connections: ['mastodon'],
    arrange: image('bell'),
    ask: ({ url }) => `Post “The new bell” on Mastodon with the picture ${url}; it shows a bronze bell.`,
    solve: async (reader, { url }) => {
      await reader.call('list_connections');
      const { media } = await reader.call('upload_media_from_url', { url, altText: 'A bronze bell' });
      await reader.call('create_post', { text: 'The new bell', connectionSlugs: ['mastodon'], mediaIds: [media.id] });
    },
    check: async (scene) => {
      const [post] = await scene.all();
      equal(post.status, 'sent');
      match(post.media[0].altText, /bronze bell/i);
    },
  },
  {
    id: 'schedule an image on three platforms in a zone',
    connections: ['mastodon', 'bluesky', 'linkedin'],
    arrange: image('tower'),
    ask: ({ url }) =>
      `It is Saturday 21 November 2026. Tomorrow at nine in Lisbon, post “The tower is open again” with the picture ${url} (a tower in the morning sun) on Mastodon, Bluesky and LinkedIn.`,
    solve: async (reader, { url }) => {
      await reader.call('list_connections');
      const { media } = await reader.call('upload_media_from_url', { url });
      await reader.call('create_post', {
        text: 'The tower is open again',
        media: [{ id: media.id, altText: 'A tower in the morning sun' }],
        connectionSlugs: ['mastodon', 'bluesky', 'linkedin'],
        scheduledFor: '2026-11-22T09:00',
        timezone: 'Europe/Lisbon',
      });
    },
    check: async (scene) => {
      const posts = await scene.all();
      equal(posts.length, 3);
      for (const { status, scheduledFor, media } of posts) {
        deepEqual([status, scheduledFor], ['scheduled', '2026-11-22T09:00:00.000Z']);
        match(media[0].altText, /tower/i);
      }
    },
  },
  {
    id: 'publish two images in order',
    connections: ['bluesky'],
    arrange: async (scene) => ({ before: scene.image('before'), after: scene.image('after') }),
    ask: ({ before, after }) =>
      `Post “Before and after” on Bluesky with two pictures, in this order: ${before} (the old roof) and ${after} (the new roof).`,
    solve: async (reader, { before, after }) => {
      await reader.call('list_connections');
      const ids = [];
      for (const [url, altText] of [
        [before, 'The old roof'],
        [after, 'The new roof'],
      ]) {
        ids.push((await reader.call('upload_media_from_url', { url, altText })).media.id);
      }
      await reader.call('create_post', { text: 'Before and after', connectionSlugs: ['bluesky'], mediaIds: ids });
    },
    check: async (scene) => {
      const [post] = await scene.all();
      equal(post.status, 'sent');
      match(post.media.map(({ altText }: { altText: string }) => altText).join(), /old roof.*new roof/i);
    },
  },
  {
    id: 'say that an address has no image',
    connections: ['mastodon'],
    arrange: async (scene) => ({ url: scene.image('missing') }),
    ask: ({ url }) =>
      `Post “With picture” on Mastodon with ${url}. If the picture cannot be fetched, do not post, and tell me.`,
    solve: async (reader, { url }) => {
      await reader.call('list_connections');
      return reader.report(await reader.mistake('upload_media_from_url', { url }, 'media_unreachable'));
    },
    check: async (scene, reply) => {
      await scene.hasPosts([]);
      match(reply, /404|could not|cannot|not/i);
    },
  },
  {
    id: 'use an id and not an address as an image',
    connections: ['mastodon'],
    arrange: async (scene) => ({ url: scene.image('use') }),
    ask: ({ url }) => `Post “Look” on Mastodon with the picture ${url} (a door).`,
    solve: async (reader, { url }) => {
      await reader.call('list_connections');
      const wish = { text: 'Look', connectionSlugs: ['mastodon'] };
      await reader.mistake('create_post', { ...wish, mediaIds: [url] }, 'invalid_media');
      const { media } = await reader.call('upload_media_from_url', { url, altText: 'A door' });
      await reader.call('create_post', { ...wish, mediaIds: [media.id] });
    },
    check: async (scene) => {
      const [post] = await scene.all();
      deepEqual([post.status, post.media.length], ['sent', 1]);
    },
  },
  {
    id: 'add the image that a platform needs',
    connections: ['instagram'],
    arrange: async (scene) => ({ url: scene.image('needed') }),
    ask: ({ url }) => `Post “Evening light” on Instagram. If it needs a picture, use ${url} (evening light on a wall).`,
    solve: async (reader, { url }) => {
      await reader.call('list_connections');
      const wish = { text: 'Evening light', connectionSlugs: ['instagram'] };
      const { results } = await reader.call('validate_post', wish);
      match(results[0].error.message, /image/i);
      const { media } = await reader.call('upload_media_from_url', { url, altText: 'Evening light on a wall' });
      await reader.call('create_post', { ...wish, mediaIds: [media.id] });
    },
    check: async (scene) => {
      const sent = (await scene.all()).filter(({ status }) => status === 'sent');
      deepEqual(
        sent.map(({ media }) => media.length),
        [1],
      );
    },
  },
  {
    id: 'use an image that was uploaded before',
    path: '/mcp/all',
    connections: ['mastodon'],
    arrange: async (scene) => void (await scene.upload()),
    ask: 'Post “From the archive” on Mastodon with the picture that we uploaded last; it shows the archive.',
    solve: async (reader) => {
      await reader.call('list_connections');
      const { media } = await reader.call('list_media');
      await reader.call('create_post', {
        text: 'From the archive',
        connectionSlugs: ['mastodon'],
        media: [{ id: media[0].id, altText: 'The archive' }],
      });
    },
    check: async (scene) => {
      const [post] = await scene.all();
      equal(post.status, 'sent');
      match(post.media[0].altText, /archive/i);
    },
  },
  {
    id: 'delete the images that nothing uses',
    path: '/mcp/all',
    arrange: async (scene) => {
      await scene.upload();
      await scene.post('Keeps its image', { isDraft: true, mediaIds: [await scene.upload()] });
    },
    ask: 'Delete the pictures that no post uses.',
    solve: async (reader) => {
      const { media } = await reader.call('list_media', { unused: true });
      for (const { id } of media) await reader.call('delete_media', { mediaId: id });
    },
    check: async (scene) => equal((await scene.done('GET /media')).media.length, 1),
  },
];
