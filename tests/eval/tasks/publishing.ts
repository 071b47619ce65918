/** Tasks that publish at once. */
import { deepEqual, equal, match } from 'node:assert/strict';
import type { Task } from '../task.ts';

const LONG =
  'We rebuilt the whole of our booking page this autumn: it opens in a second, remembers where you were, works with a keyboard alone, and tells you the price before you ask. Thank you to the forty people who tried early versions of it and reply us, kindly and clearly, what was still wrong with it. It is open to everyone from this morning on.';
const SHORT = 'Our new booking page is open to everyone from this morning on.';

const slugsOf = (answer: { connections: { slug: string; platformId: string }[] }) =>
  answer.connections.map(({ slug }) => slug);

export const publishing: readonly Task[] = [
  {
    id: 'publish on one account',
    connections: ['mastodon', 'bluesky'],
    ask: 'Post “The shop opens at ten today.” on our Mastodon account now.',
    solve: async (reader) => {
      const { connections } = await reader.call('list_connections');
      const { slug } = connections.find((one: { platformId: string }) => one.platformId === 'mastodon');
      await reader.call('create_post', { text: 'The shop opens at ten today.', connectionSlugs: [slug] });
    },
    check: (scene) =>
      scene.hasPosts([{ connectionSlug: 'mastodon', status: 'sent', text: 'The shop opens at ten today.' }]),
  },
  {
    id: 'publish on three accounts',
    connections: ['mastodon', 'bluesky', 'linkedin', 'discord'],
    ask: 'Post “We are hiring a bell maker.” on LinkedIn, Mastodon and Bluesky, right now.',
    solve: async (reader) => {
      await reader.call('list_connections');
      const connectionSlugs = ['linkedin', 'mastodon', 'bluesky'];
      await reader.call('create_post', { text: 'We are hiring a bell maker.', connectionSlugs });
    },
    check: (scene) =>
      scene.hasPosts(
        ['linkedin', 'mastodon', 'bluesky'].map((connectionSlug) => ({
          connectionSlug,
          status: 'sent',
          text: 'We are hiring a bell maker.',
        })),
      ),
  },
  {
    id: 'publish on every account',
    connections: ['mastodon', 'telegram', 'discord', 'slack', 'x'],
    ask: 'Tell everyone, on all of our accounts: “The bridge is closed on Sunday.”',
    solve: async (reader) => {
      const connectionSlugs = slugsOf(await reader.call('list_connections'));
      await reader.call('create_post', { text: 'The bridge is closed on Sunday.', connectionSlugs });
    },
    check: async (scene) => {
      const posts = await scene.all();
      deepEqual(
        new Set(posts.map(({ connectionSlug }) => connectionSlug)),
        new Set(['discord', 'mastodon', 'slack', 'telegram', 'x']),
      );
      deepEqual(new Set(posts.map(({ status }) => status)), new Set(['sent']));
    },
  },
  {
    id: 'publish different words on one platform',
    connections: ['mastodon', 'linkedin'],
    ask: 'Post “We won the prize!” on Mastodon, and on LinkedIn the same news as “Our team has won the prize.”',
    solve: async (reader) => {
      await reader.call('list_connections');
      await reader.call('create_post', {
        text: 'We won the prize!',
        textByPlatform: { linkedin: 'Our team has won the prize.' },
        connectionSlugs: ['mastodon', 'linkedin'],
      });
    },
    check: (scene) =>
      scene.hasPosts([
        { connectionSlug: 'mastodon', status: 'sent', text: 'We won the prize!' },
        { connectionSlug: 'linkedin', status: 'sent', text: 'Our team has won the prize.' },
      ]),
  },
  {
    id: 'publish a short version where the text is too long',
    connections: ['mastodon', 'bluesky'],
    ask: `Post this on Mastodon and Bluesky: “${LONG}” Where that is too long, use “${SHORT}” instead.`,
    solve: async (reader) => {
      await reader.call('list_connections');
      const connectionSlugs = ['mastodon', 'bluesky'];
      const { results } = await reader.call('validate_post', { text: LONG, connectionSlugs });
      const long = results.filter((one: { ok: boolean }) => !one.ok) as { connectionSlug: string }[];
      // The platforms are those that list_connections gave.
      const textByPlatform = Object.fromEntries(long.map(({ connectionSlug }) => [connectionSlug, SHORT]));
      await reader.call('create_post', { text: LONG, connectionSlugs, textByPlatform });
    },
    check: (scene) =>
      scene.hasPosts([
        { connectionSlug: 'mastodon', status: 'sent', text: LONG },
        { connectionSlug: 'bluesky', status: 'sent', text: SHORT },
      ]),
  },
  {
    id: 'shorten after a refusal',
    connections: ['bluesky'],
    ask: `Post “${LONG}” on Bluesky. If it does not fit, post “${SHORT}”.`,
    solve: async (reader) => {
      const connectionSlugs = slugsOf(await reader.call('list_connections'));
      const { results } = await reader.call('create_post', { text: LONG, connectionSlugs });
      match(results[0].error.message, /300/);
      await reader.call('create_post', { text: SHORT, connectionSlugs });
    },
    check: async (scene) => {
      const sent = (await scene.all()).filter(({ status }) => status === 'sent');
      deepEqual(
        sent.map(({ text }) => text),
        [SHORT],
      );
    },
  },
  {
    id: 'correct a slug that was guessed',
    connections: ['mastodon'],
    ask: 'Post “Ding” on our masto account.',
    solve: async (reader) => {
      await reader.mistake('create_post', { text: 'Ding', connectionSlugs: ['masto'] }, 'invalid_connection');
      const [slug] = slugsOf(await reader.call('list_connections'));
      await reader.call('create_post', { text: 'Ding', connectionSlugs: [slug] });
    },
    check: (scene) => scene.hasPosts([{ connectionSlug: 'mastodon', status: 'sent', text: 'Ding' }]),
  },
  {
    id: 'correct the name of an argument',
    ask: 'Post “Dong” in the sandbox.',
    solve: async (reader) => {
      await reader.call('list_connections');
      await reader.mistake('create_post', { content: 'Dong', connectionSlugs: ['sandbox'] }, 'invalid_request');
      await reader.call('create_post', { text: 'Dong', connectionSlugs: ['sandbox'] });
    },
    check: (scene) => scene.hasPosts([{ status: 'sent', text: 'Dong' }]),
  },
  {
    id: 'correct a list that was sent as a word',
    ask: 'Post “Dong, dong” in the sandbox.',
    solve: async (reader) => {
      await reader.call('list_connections');
      await reader.mistake('create_post', { text: 'Dong, dong', connectionSlugs: 'sandbox' }, 'invalid_request');
      await reader.call('create_post', { text: 'Dong, dong', connectionSlugs: ['sandbox'] });
    },
    check: (scene) => scene.hasPosts([{ status: 'sent', text: 'Dong, dong' }]),
  },
  {
    id: 'publish with tags',
    ask: 'Post “Spring sale” in the sandbox and file it under the tags sale and spring.',
    solve: async (reader) => {
      await reader.call('list_connections');
      await reader.call('create_post', { text: 'Spring sale', connectionSlugs: ['sandbox'], tags: ['sale', 'spring'] });
    },
    check: (scene) => scene.hasPosts([{ status: 'sent', text: 'Spring sale', tags: ['sale', 'spring'] }]),
  },
  {
    id: 'publish with a first comment',
    connections: ['facebook'],
    ask: 'Post “Our winter programme is out.” on Facebook, with the comment “Tickets: https://example.org/winter” under it.',
    solve: async (reader) => {
      await reader.call('list_connections');
      await reader.call('create_post', {
        text: 'Our winter programme is out.',
        firstComment: 'Tickets: https://example.org/winter',
        connectionSlugs: ['facebook'],
      });
    },
    check: (scene) =>
      scene.hasPosts([{ status: 'sent', hasFirstComment: true, firstComment: 'Tickets: https://example.org/winter' }]),
  },
  {
    id: 'leave a first comment out where there is none',
    connections: ['discord'],
    ask: 'Post “Winter programme” on Discord with “Tickets at the door” as a first comment; without the comment if Discord has none.',
    solve: async (reader) => {
      await reader.call('list_connections');
      const post = { text: 'Winter programme', connectionSlugs: ['discord'] };
      const { results } = await reader.call('create_post', { ...post, firstComment: 'Tickets at the door' });
      equal(results[0].error.code, 'shape_unsupported');
      await reader.call('create_post', post);
    },
    check: async (scene) => {
      const sent = (await scene.all()).filter(({ status }) => status === 'sent');
      deepEqual(
        sent.map(({ text, firstComment }) => [text, firstComment]),
        [['Winter programme', null]],
      );
    },
  },
  {
    id: 'publish characters as they are',
    connections: ['mastodon', 'telegram'],
    ask: 'Post exactly this on Mastodon and Telegram: 5 < 6 & *not bold* _nor this_ <b>nor that</b> 👩‍🚀',
    solve: async (reader) => {
      await reader.call('list_connections');
      const text = '5 < 6 & *not bold* _nor this_ <b>nor that</b> 👩‍🚀';
      await reader.call('create_post', { text, connectionSlugs: ['mastodon', 'telegram'] });
    },
    check: (scene) => {
      const text = '5 < 6 & *not bold* _nor this_ <b>nor that</b> 👩‍🚀';
      return scene.hasPosts(
        ['mastodon', 'telegram'].map((connectionSlug) => ({ connectionSlug, status: 'sent', text })),
      );
    },
  },
  {
    id: 'publish for a customer',
    arrange: async (scene) => {
      const { profile } = await scene.done('POST /profiles', { name: 'Acme' });
      await scene.done('POST /connections', {
        platformId: 'sandbox',
        credentials: {},
        slug: 'acme-news',
        profileId: profile.id,
      });
    },
    ask: 'Post “Fresh anvils” for the customer Acme.',
    solve: async (reader) => {
      const { profiles } = await reader.call('list_profiles');
      const [{ id: profileId }] = profiles;
      const [slug] = slugsOf(await reader.call('list_connections', { profileId }));
      await reader.call('create_post', { text: 'Fresh anvils', connectionSlugs: [slug], profileId });
    },
    check: (scene) => scene.hasPosts([{ connectionSlug: 'acme-news', status: 'sent', text: 'Fresh anvils' }]),
  },
  {
    id: 'publish where the login works, and report the other',
    connections: ['mastodon'],
    arrange: async (scene) => {
      await scene.done('POST /connections', { platformId: 'sandbox', credentials: {}, slug: 'sandbox' });
      await scene.post('[[reconnect]]');
    },
    ask: 'Post “Snow tomorrow” on Mastodon and in the sandbox, and tell me if one of them does not work.',
    solve: async (reader) => {
      const { connections } = await reader.call('list_connections');
      const dead = connections.filter((one: { reconnectRequired: unknown }) => one.reconnectRequired !== null);
      await reader.call('create_post', { text: 'Snow tomorrow', connectionSlugs: ['mastodon'] });
      return `The sandbox must be connected again: ${dead.map(({ slug }: { slug: string }) => slug)}`;
    },
    check: async (scene, reply) => {
      const sent = (await scene.all()).filter(({ status }) => status === 'sent');
      deepEqual(
        sent.map(({ connectionSlug, text }) => [connectionSlug, text]),
        [['mastodon', 'Snow tomorrow']],
      );
      match(reply, /sandbox/i);
    },
  },
  {
    id: 'do not publish twice after a lost answer',
    ask: 'Post “Only once” in the sandbox. The line is bad: if an answer is lost, make sure that it is not posted twice. (The first answer was lost.)',
    solve: async (reader) => {
      await reader.call('list_connections');
      const wish = { text: 'Only once', connectionSlugs: ['sandbox'], idempotencyKey: 'only-once-1' };
      await reader.call('create_post', wish);
      await reader.call('create_post', wish);
    },
    check: (scene) => scene.hasPosts([{ status: 'sent', text: 'Only once' }]),
  },
  {
    id: 'take a new idempotency key for a new post',
    ask: 'Post “First” in the sandbox, then “Second”.',
    solve: async (reader) => {
      await reader.call('list_connections');
      const wish = { connectionSlugs: ['sandbox'], idempotencyKey: 'news' };
      await reader.call('create_post', { ...wish, text: 'First' });
      await reader.mistake('create_post', { ...wish, text: 'Second' }, 'idempotency_key_conflict');
      await reader.call('create_post', { ...wish, text: 'Second', idempotencyKey: 'news-2' });
    },
    check: (scene) =>
      scene.hasPosts([
        { text: 'First', status: 'sent' },
        { text: 'Second', status: 'sent' },
      ]),
  },
  {
    id: 'publish with polish',
    connections: ['mastodon'],
    ask: 'Post “Helo wrld” on Mastodon and let the service polish the words.',
    solve: async (reader) => {
      await reader.call('list_connections');
      await reader.call('create_post', { text: 'Helo wrld', connectionSlugs: ['mastodon'], rewrite: true });
    },
    check: (scene) => scene.hasPosts([{ originalText: 'Helo wrld', aiRewriteStatus: 'rewritten', status: 'sent' }]),
  },
  {
    id: 'check a text without publishing it',
    connections: ['x', 'mastodon'],
    ask: `Would this fit on X and on Mastodon? Do not post it. “${LONG}”`,
    solve: async (reader) => {
      await reader.call('list_connections');
      const { results } = await reader.call('validate_post', { text: LONG, connectionSlugs: ['x', 'mastodon'] });
      return results
        .map((one: { connectionSlug: string; ok: boolean }) => `${one.connectionSlug}: ${one.ok ? 'yes' : 'no'}`)
        .join(', ');
    },
    check: async (scene, reply) => {
      await scene.hasPosts([]);
      match(reply, /x\b.*no|not.*x\b|too long.*x\b/i);
    },
  },
  {
    id: 'send an email with its subject',
    connections: ['email'],
    ask: 'Mail our readers: the first line “Closed on Friday” becomes the subject; then an empty line and “We are closed on Friday for repairs.”',
    solve: async (reader) => {
      await reader.call('list_connections');
      await reader.call('create_post', {
        text: 'Closed on Friday\n\nWe are closed on Friday for repairs.',
        connectionSlugs: ['email'],
      });
    },
    check: async (scene) => {
      const [post] = await scene.all();
      equal(post.status, 'sent');
      match(post.text, /^Closed on Friday\n/);
    },
  },
];
