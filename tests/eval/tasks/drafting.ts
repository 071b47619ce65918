/** Tasks with drafts. */
import { deepEqual, equal, match } from 'node:assert/strict';
import type { Task } from '../task.ts';

const draft = (text: string): Pick<Task, 'arrange'> => ({
  arrange: async (scene) => void (await scene.post(text, { isDraft: true })),
});

export const drafting: readonly Task[] = [
  {
    id: 'keep a post as a draft',
    connections: ['mastodon', 'linkedin'],
    ask: 'Draft “We move to the river.” for Mastodon and LinkedIn. Do not publish it.',
    solve: async (reader) => {
      await reader.call('list_connections');
      const connectionSlugs = ['mastodon', 'linkedin'];
      await reader.call('create_post', { text: 'We move to the river.', connectionSlugs, isDraft: true });
    },
    check: (scene) =>
      scene.hasPosts(['mastodon', 'linkedin'].map((connectionSlug) => ({ connectionSlug, status: 'draft' }))),
  },
  {
    id: 'change a draft',
    ...draft('We open at nine'),
    ask: 'In the draft “We open at nine”, make it ten o’clock: “We open at ten”.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'draft' });
      await reader.call('update_draft', { postId: posts[0].id, text: 'We open at ten' });
    },
    check: (scene) => scene.hasPosts([{ status: 'draft', text: 'We open at ten' }]),
  },
  {
    id: 'publish a draft',
    ...draft('Ready to go'),
    ask: 'Publish the draft “Ready to go”.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'draft' });
      await reader.call('publish_draft', { postId: posts[0].id });
    },
    check: (scene) => scene.hasPosts([{ status: 'sent', text: 'Ready to go' }]),
  },
  {
    id: 'publish a draft at a time',
    ...draft('Ready tomorrow'),
    ask: 'It is Saturday 21 November 2026. Publish the draft “Ready tomorrow” tomorrow at 08:00 UTC.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'draft' });
      await reader.call('publish_draft', { postId: posts[0].id, scheduledFor: '2026-11-22T08:00:00Z' });
    },
    check: (scene) => scene.hasPosts([{ status: 'scheduled', scheduledFor: '2026-11-22T08:00:00.000Z' }]),
  },
  {
    id: 'find one draft among several',
    arrange: async (scene) => {
      for (const text of ['About soup', 'About bells', 'About snow']) await scene.post(text, { isDraft: true });
    },
    ask: 'Publish the draft about bells, and leave the others.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'draft', q: 'bells' });
      await reader.call('publish_draft', { postId: posts[0].id });
    },
    check: (scene) =>
      scene.hasPosts([
        { text: 'About soup', status: 'draft' },
        { text: 'About bells', status: 'sent' },
        { text: 'About snow', status: 'draft' },
      ]),
  },
  {
    id: 'delete a draft',
    ...draft('Never mind'),
    ask: 'Delete the draft “Never mind”.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'draft' });
      await reader.call('delete_post', { postId: posts[0].id });
    },
    check: async (scene) =>
      deepEqual(
        (await scene.all()).filter(({ status }) => status === 'draft'),
        [],
      ),
  },
  {
    id: 'publish a draft once',
    ...draft('Just once'),
    ask: 'Publish the draft “Just once”. (Your first answer may have been lost: make sure that it is out once.)',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'draft' });
      const postId = posts[0].id;
      await reader.call('publish_draft', { postId });
      return reader.report(await reader.mistake('publish_draft', { postId }, 'not_found'));
    },
    check: async (scene, reply) => {
      await scene.hasPosts([{ status: 'sent', text: 'Just once', tries: 1 }]);
      match(reply, /sent|out|published/i);
    },
  },
  {
    id: 'replace drafts by a better one',
    arrange: async (scene) => {
      await scene.post('Version 1', { isDraft: true });
      await scene.post('Version 2', { isDraft: true });
    },
    ask: 'Replace both drafts for the sandbox by one draft: “Version 3”.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'draft' });
      const replaces = posts.map(({ id }: { id: string }) => id);
      await reader.call('create_post', { text: 'Version 3', connectionSlugs: ['sandbox'], isDraft: true, replaces });
    },
    check: async (scene) => {
      const drafts = (await scene.all()).filter(({ status }) => status === 'draft');
      deepEqual(
        drafts.map(({ text }) => text),
        ['Version 3'],
      );
    },
  },
  {
    id: 'show a draft before it is published',
    ...draft('Show me first'),
    ask: 'What does the draft say? Do not publish it.',
    solve: async (reader) => (await reader.call('list_posts', { status: 'draft' })).posts[0].text,
    check: async (scene, reply) => {
      match(reply, /Show me first/);
      await scene.hasPosts([{ status: 'draft' }]);
    },
  },
  {
    id: 'put a draft into the queue',
    path: '/mcp/all',
    arrange: async (scene) => {
      const { id } = await scene.connection('sandbox');
      await scene.done(`PATCH /connections/${id}/queue`, { slots: [{ weekday: 1, time: '09:00' }], timezone: 'UTC' });
      await scene.post('For the queue', { isDraft: true });
    },
    ask: 'Put the draft “For the queue” into the queue.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'draft' });
      await reader.call('publish_draft', { postId: posts[0].id, queue: true });
    },
    check: async (scene) => {
      const [post] = await scene.all();
      equal(post.scheduledFor, '2026-11-23T09:00:00.000Z');
    },
  },
];
