/** Tasks after something went wrong, and those that take something back. */
import { deepEqual, equal, match } from 'node:assert/strict';
import type { Task } from '../task.ts';

export const repairing: readonly Task[] = [
  {
    id: 'find why a post failed',
    arrange: async (scene) => void (await scene.post('Concert at eight [[reject]]')),
    ask: 'Why did our post about the concert fail?',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'failed', q: 'concert' });
      const { post } = await reader.call('get_post', { postId: posts[0].id });
      return `${post.error.code}: ${post.error.message}`;
    },
    check: (_scene, reply) => match(reply, /reject|refus/i),
  },
  {
    id: 'send a failed post again',
    arrange: async (scene) => {
      const id = await scene.post('Again, please [[unavailable]]');
      await scene.world.sql(`update posts set text = 'Again, please' where id = $1`, [id]);
    },
    ask: 'Our post “Again, please” failed. Find out why, and if it is safe, send it again.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'failed' });
      const { post } = await reader.call('get_post', { postId: posts[0].id });
      equal(post.error.code, 'platform_unavailable');
      await reader.call('retry_post', { postId: post.id });
    },
    check: (scene) => scene.hasPosts([{ status: 'sent', text: 'Again, please' }]),
  },
  {
    id: 'send a failed post again tomorrow',
    arrange: async (scene) => void (await scene.post('Tomorrow then [[unavailable]]')),
    ask: 'It is Saturday 21 November 2026. The post that failed should be tried again tomorrow at 10:00 UTC.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'failed' });
      await reader.call('retry_post', { postId: posts[0].id, scheduledFor: '2026-11-22T10:00:00Z' });
    },
    check: (scene) => scene.hasPosts([{ status: 'scheduled', scheduledFor: '2026-11-22T10:00:00.000Z' }]),
  },
  {
    id: 'do not repeat what may be out',
    path: '/mcp/all',
    arrange: async (scene) => void (await scene.post('Perhaps out [[vanish]]')),
    ask: 'The post “Perhaps out” failed. Send it again only if it is certain that it is not out yet; otherwise tell me to look.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'failed' });
      const postId = posts[0].id;
      equal(posts[0].error.code, 'outcome_unknown');
      return reader.report(await reader.mistake('retry_post', { postId }, 'invalid_request'));
    },
    check: async (scene, reply) => {
      await scene.hasPosts([{ status: 'failed', tries: 1 }]);
      match(reply, /look|check|may/i);
    },
  },
  {
    id: 'repeat what a person has looked for',
    arrange: async (scene) => void (await scene.post('Looked for it [[vanish]]')),
    ask: 'The post “Looked for it” has an unknown outcome. I have looked on the platform: it is not there. Send it again.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'failed' });
      const postId = posts[0].id;
      await reader.mistake('retry_post', { postId }, 'invalid_request');
      await reader.call('retry_post', { postId, force: true });
    },
    check: async (scene) => equal((await scene.all())[0].tries, 2),
  },
  {
    id: 'do not send a sent post again',
    arrange: async (scene) => void (await scene.post('Already out')),
    ask: 'Try “Already out” again if it has failed.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { q: 'Already' });
      return reader.report(await reader.mistake('retry_post', { postId: posts[0].id }, 'invalid_request'));
    },
    check: async (scene, reply) => {
      await scene.hasPosts([{ status: 'sent', tries: 1 }]);
      match(reply, /sent|not failed|out/i);
    },
  },
  {
    id: 'send every failed post of a day again',
    arrange: async (scene) => {
      const [one, other] = [await scene.post('Fail 1 [[unavailable]]'), await scene.post('Fail 2 [[unavailable]]')];
      await scene.world.sql(`update posts set text = 'Fail' where id in ($1, $2)`, [one, other]);
      await scene.post('Fine');
    },
    ask: 'Send the posts that failed today again. It is 21 November 2026.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'failed', from: '2026-11-21' });
      for (const { id } of posts) await reader.call('retry_post', { postId: id });
    },
    check: async (scene) =>
      deepEqual(
        (await scene.all()).map(({ status }) => status),
        ['sent', 'sent', 'sent'],
      ),
  },
  {
    id: 'offer a link where a login has ended',
    arrange: async (scene) => {
      const { profile } = await scene.done('POST /profiles', { name: 'Bakery' });
      const made = { platformId: 'sandbox', credentials: {}, slug: 'bakery', profileId: profile.id };
      await scene.done('POST /connections', made);
      await scene.post('[[reconnect]]', { connectionSlugs: ['bakery'], profileId: profile.id });
    },
    ask: 'Posts of our customer Bakery fail. If their login has ended, give me a link with which they connect again; send them to https://bakery.example/thanks afterwards.',
    solve: async (reader) => {
      const { connections } = await reader.call('list_connections');
      const dead = connections.find((one: { reconnectRequired: unknown }) => one.reconnectRequired !== null);
      const redirectUrl = 'https://bakery.example/thanks';
      const answer = await reader.call('start_connection', { profileId: dead.profileId, redirectUrl });
      return answer.url ?? answer.connectUrl ?? JSON.stringify(answer);
    },
    check: (_scene, reply) => match(reply, /\/connect\//),
  },
  {
    id: 'take a post down',
    connections: ['mastodon'],
    arrange: async (scene) => void (await scene.post('A mistake', { connectionSlugs: ['mastodon'] })),
    ask: 'Take the post “A mistake” down.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'sent' });
      await reader.call('delete_post', { postId: posts[0].id });
    },
    check: (scene) => scene.hasPosts([{ status: 'deleted', text: 'A mistake' }]),
  },
  {
    id: 'say where a post cannot be taken down',
    connections: ['instagram'],
    arrange: async (scene) => {
      await scene.post('Stays up', { connectionSlugs: ['instagram'], mediaIds: [await scene.upload()] });
    },
    ask: 'Take the Instagram post “Stays up” down. If that cannot be done from here, tell me.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'sent' });
      return reader.report(await reader.mistake('delete_post', { postId: posts[0].id }, 'delete_unsupported'));
    },
    check: async (scene, reply) => {
      await scene.hasPosts([{ status: 'sent' }]);
      match(reply, /instagram/i);
    },
  },
  {
    id: 'say that a platform refused to delete',
    arrange: async (scene) => void (await scene.post('Refuses [[refuse-delete]]')),
    ask: 'Take the post “Refuses” down, and tell me if the platform refuses.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'sent' });
      return reader.report(await reader.mistake('delete_post', { postId: posts[0].id }, 'platform_rejected'));
    },
    check: async (scene, reply) => {
      equal((await scene.all())[0].status, 'sent');
      match(reply, /refus|reject/i);
    },
  },
  {
    id: 'repair only what failed of several',
    connections: ['mastodon', 'sandbox'],
    arrange: async (scene) => {
      const textByPlatform = { sandbox: 'Many, many words [[reject]]' };
      await scene.posts('Many, many words', { connectionSlugs: ['mastodon', 'sandbox'], textByPlatform });
    },
    ask: 'Our last post went out on one platform and failed on the other. Where it failed, post “Many words.” instead; nothing twice.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'failed' });
      await reader.call('create_post', { text: 'Many words.', connectionSlugs: [posts[0].connectionSlug] });
    },
    check: async (scene) => {
      const sent = (await scene.all()).filter(({ status }) => status === 'sent');
      deepEqual(
        sent.map(({ connectionSlug }) => connectionSlug),
        ['mastodon', 'sandbox'],
      );
    },
  },
  {
    id: 'correct an id that was shortened',
    arrange: async (scene) => void (await scene.post('Identified')),
    ask: 'What became of the post “Identified”?',
    solve: async (reader) => {
      await reader.mistake('get_post', { postId: 'identified' }, 'invalid_request');
      const { posts } = await reader.call('list_posts', { q: 'Identified' });
      return (await reader.call('get_post', { postId: posts[0].id })).post.status;
    },
    check: (_scene, reply) => match(reply, /sent/i),
  },
  {
    id: 'show the attempts of a post',
    path: '/mcp/all',
    arrange: async (scene) => void (await scene.post('Attempted [[unavailable]]')),
    ask: 'How often was “Attempted” tried, and how did each attempt end?',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { q: 'Attempted' });
      const { attempts } = await reader.call('list_attempts', { postId: posts[0].id });
      return `${attempts.length}: ${JSON.stringify(attempts)}`;
    },
    check: (_scene, reply) => match(reply, /1|once|one/i),
  },
];
