/** Tasks that put posts at times. Every task happens on Saturday 21 November 2026 at 12:00 UTC. */
import { deepEqual, match } from 'node:assert/strict';
import type { Task } from '../task.ts';

const NOW = 'It is Saturday 21 November 2026, 12:00 UTC.';

/** A post at a wall time in a zone. */
function at(
  place: string,
  { ask, wall, timezone, instant }: Readonly<Record<'ask' | 'wall' | 'timezone' | 'instant', string>>,
): Task {
  const text = `Hello ${place}`;
  return {
    id: `schedule for ${place}`,
    ask: `${NOW} Post “${text}” in the sandbox ${ask}.`,
    solve: async (reader) => {
      await reader.call('list_connections');
      await reader.call('create_post', { text, connectionSlugs: ['sandbox'], scheduledFor: wall, timezone });
    },
    check: (scene) => scene.hasPosts([{ text, status: 'scheduled', scheduledFor: instant }]),
  };
}

const places: readonly Task[] = [
  at('Lisbon', {
    ask: 'tomorrow at nine in Lisbon',
    wall: '2026-11-22T09:00',
    timezone: 'Europe/Lisbon',
    instant: '2026-11-22T09:00:00.000Z',
  }),
  at('New York', {
    ask: 'on Monday at half past eight in the morning, New York time',
    wall: '2026-11-23T08:30',
    timezone: 'America/New_York',
    instant: '2026-11-23T13:30:00.000Z',
  }),
  at('Tokyo', {
    ask: 'next Friday at 17:00 in Tokyo',
    wall: '2026-11-27T17:00',
    timezone: 'Asia/Tokyo',
    instant: '2026-11-27T08:00:00.000Z',
  }),
  at('Kathmandu', {
    ask: 'at midnight in the night to the first of December, in Kathmandu',
    wall: '2026-12-01T00:00',
    timezone: 'Asia/Kathmandu',
    instant: '2026-11-30T18:15:00.000Z',
  }),
  at('Sydney', {
    ask: 'on Tuesday evening at seven, Sydney time',
    wall: '2026-11-24T19:00',
    timezone: 'Australia/Sydney',
    instant: '2026-11-24T08:00:00.000Z',
  }),
];

export const scheduling: readonly Task[] = [
  ...places,
  {
    id: 'schedule in two hours',
    ask: `${NOW} Post “Two hours later” in the sandbox in two hours.`,
    solve: async (reader) => {
      await reader.call('list_connections');
      const scheduledFor = '2026-11-21T14:00:00Z';
      await reader.call('create_post', { text: 'Two hours later', connectionSlugs: ['sandbox'], scheduledFor });
    },
    check: (scene) => scene.hasPosts([{ status: 'scheduled', scheduledFor: '2026-11-21T14:00:00.000Z' }]),
  },
  {
    id: 'add the zone of a time',
    ask: `${NOW} Post “Zoned” in the sandbox tomorrow at nine, Paris time.`,
    solve: async (reader) => {
      await reader.call('list_connections');
      const wish = { text: 'Zoned', connectionSlugs: ['sandbox'], scheduledFor: '2026-11-22T09:00' };
      await reader.mistake('create_post', wish, 'invalid_request');
      await reader.call('create_post', { ...wish, timezone: 'Europe/Paris' });
    },
    check: (scene) => scene.hasPosts([{ text: 'Zoned', scheduledFor: '2026-11-22T08:00:00.000Z' }]),
  },
  {
    id: 'correct a zone that does not exist',
    ask: `${NOW} Post “CET” in the sandbox tomorrow at nine, Berlin time.`,
    solve: async (reader) => {
      await reader.call('list_connections');
      const wish = { text: 'CET', connectionSlugs: ['sandbox'], scheduledFor: '2026-11-22T09:00' };
      await reader.mistake('create_post', { ...wish, timezone: 'Berlin' }, 'invalid_request');
      await reader.call('create_post', { ...wish, timezone: 'Europe/Berlin' });
    },
    check: (scene) => scene.hasPosts([{ text: 'CET', scheduledFor: '2026-11-22T08:00:00.000Z' }]),
  },
  {
    id: 'correct a form of time',
    ask: `${NOW} Post “Formed” in the sandbox tomorrow at 09:00 UTC.`,
    solve: async (reader) => {
      await reader.call('list_connections');
      const wish = { text: 'Formed', connectionSlugs: ['sandbox'] };
      await reader.mistake('create_post', { ...wish, scheduledFor: 'tomorrow at 9am' }, 'invalid_request');
      await reader.call('create_post', { ...wish, scheduledFor: '2026-11-22T09:00:00Z' });
    },
    check: (scene) => scene.hasPosts([{ text: 'Formed', scheduledFor: '2026-11-22T09:00:00.000Z' }]),
  },
  {
    id: 'notice a time that has passed',
    ask: `${NOW} Post “Passed” in the sandbox at eleven UTC; if that has passed, tomorrow at eleven UTC.`,
    solve: async (reader) => {
      await reader.call('list_connections');
      const wish = { text: 'Passed', connectionSlugs: ['sandbox'] };
      await reader.mistake('create_post', { ...wish, scheduledFor: '2026-11-21T11:00:00Z' }, 'invalid_request');
      await reader.call('create_post', { ...wish, scheduledFor: '2026-11-22T11:00:00Z' });
    },
    check: (scene) => scene.hasPosts([{ text: 'Passed', scheduledFor: '2026-11-22T11:00:00.000Z' }]),
  },
  {
    id: 'keep a post as a draft that is too far ahead to schedule',
    ask: `${NOW} Post “Happy new year” in the sandbox on 1 January at 00:00 UTC. If that is too far ahead, keep it as a draft and tell me.`,
    solve: async (reader) => {
      await reader.call('list_connections');
      const wish = { text: 'Happy new year', connectionSlugs: ['sandbox'] };
      const text = await reader.mistake(
        'create_post',
        { ...wish, scheduledFor: '2027-01-01T00:00:00Z' },
        'invalid_request',
      );
      match(text, /30 days/);
      await reader.call('create_post', { ...wish, isDraft: true });
      return 'It is a draft: posts can be scheduled at most 30 days ahead.';
    },
    check: async (scene, reply) => {
      await scene.hasPosts([{ text: 'Happy new year', status: 'draft' }]);
      match(reply, /draft/i);
    },
  },
  {
    id: 'schedule a series',
    ask: `${NOW} Post “Advent 1”, “Advent 2” and “Advent 3” in the sandbox on the three Sundays from 29 November on, at 10:00 UTC.`,
    solve: async (reader) => {
      await reader.call('list_connections');
      for (const [index, day] of ['2026-11-29', '2026-12-06', '2026-12-13'].entries()) {
        await reader.call('create_post', {
          text: `Advent ${index + 1}`,
          connectionSlugs: ['sandbox'],
          scheduledFor: `${day}T10:00:00Z`,
        });
      }
    },
    check: (scene) =>
      scene.hasPosts([
        { text: 'Advent 1', scheduledFor: '2026-11-29T10:00:00.000Z' },
        { text: 'Advent 2', scheduledFor: '2026-12-06T10:00:00.000Z' },
        { text: 'Advent 3', scheduledFor: '2026-12-13T10:00:00.000Z' },
      ]),
  },
  {
    id: 'move a post to another day',
    path: '/mcp/all',
    arrange: async (scene) => void (await scene.post('Move me', { scheduledFor: '2026-11-25T10:00:00Z' })),
    ask: `${NOW} Move the post “Move me” to Thursday at the same time.`,
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'scheduled' });
      await reader.call('reschedule_post', { postId: posts[0].id, scheduledFor: '2026-11-26T10:00:00Z' });
    },
    check: (scene) => scene.hasPosts([{ status: 'scheduled', scheduledFor: '2026-11-26T10:00:00.000Z' }]),
  },
  {
    id: 'move the posts of Friday to Monday',
    path: '/mcp/all',
    arrange: async (scene) => {
      await scene.post('Thursday', { scheduledFor: '2026-11-26T10:00:00Z' });
      await scene.post('Friday morning', { scheduledFor: '2026-11-27T08:00:00Z' });
      await scene.post('Friday evening', { scheduledFor: '2026-11-27T18:00:00Z' });
    },
    ask: `${NOW} Move all posts of this Friday (27 November, UTC) to the Monday after it, at the same times.`,
    solve: async (reader) => {
      const { posts } = await reader.call('list_calendar', { from: '2026-11-27', to: '2026-11-27' });
      for (const { id, scheduledFor } of posts) {
        await reader.call('reschedule_post', { postId: id, scheduledFor: scheduledFor.replace('11-27', '11-30') });
      }
    },
    check: (scene) =>
      scene.hasPosts([
        { text: 'Thursday', scheduledFor: '2026-11-26T10:00:00.000Z' },
        { text: 'Friday morning', scheduledFor: '2026-11-30T08:00:00.000Z' },
        { text: 'Friday evening', scheduledFor: '2026-11-30T18:00:00.000Z' },
      ]),
  },
  {
    id: 'postpone the posts of a tag by a day',
    path: '/mcp/all',
    arrange: async (scene) => {
      await scene.post('Tour 1', { scheduledFor: '2026-11-24T10:00:00Z', tags: ['tour'] });
      await scene.post('Tour 2', { scheduledFor: '2026-11-25T10:00:00Z', tags: ['tour'] });
      await scene.post('Other', { scheduledFor: '2026-11-24T10:00:00Z' });
    },
    ask: `${NOW} The tour is a day late: postpone everything tagged tour by one day.`,
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'scheduled', tag: ['tour'] });
      for (const { id, scheduledFor } of posts) {
        const later = new Date(Date.parse(scheduledFor) + 86_400_000).toISOString();
        await reader.call('reschedule_post', { postId: id, scheduledFor: later });
      }
    },
    check: (scene) =>
      scene.hasPosts([
        { text: 'Tour 1', scheduledFor: '2026-11-25T10:00:00.000Z' },
        { text: 'Tour 2', scheduledFor: '2026-11-26T10:00:00.000Z' },
        { text: 'Other', scheduledFor: '2026-11-24T10:00:00.000Z' },
      ]),
  },
  {
    id: 'cancel a scheduled post',
    arrange: async (scene) => {
      await scene.post('Cancel me', { scheduledFor: '2026-11-25T10:00:00Z' });
      await scene.post('Keep me', { scheduledFor: '2026-11-25T11:00:00Z' });
    },
    ask: `${NOW} Cancel the post “Cancel me”.`,
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'scheduled', q: 'Cancel' });
      await reader.call('delete_post', { postId: posts[0].id });
    },
    check: (scene) =>
      scene.hasPosts([
        { text: 'Cancel me', status: 'cancelled' },
        { text: 'Keep me', status: 'scheduled' },
      ]),
  },
  {
    id: 'cancel everything of a tag',
    arrange: async (scene) => {
      await scene.post('Sale 1', { scheduledFor: '2026-11-25T10:00:00Z', tags: ['sale'] });
      await scene.post('Sale 2', { scheduledFor: '2026-11-26T10:00:00Z', tags: ['sale'] });
      await scene.post('News', { scheduledFor: '2026-11-26T10:00:00Z' });
    },
    ask: `${NOW} The sale is off: cancel the scheduled posts tagged sale.`,
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'scheduled', tag: ['sale'] });
      for (const { id } of posts) await reader.call('delete_post', { postId: id });
    },
    check: (scene) =>
      scene.hasPosts([
        { text: 'Sale 1', status: 'cancelled' },
        { text: 'Sale 2', status: 'cancelled' },
        { text: 'News', status: 'scheduled' },
      ]),
  },
  {
    id: 'change the text of a scheduled post',
    arrange: async (scene) => void (await scene.post('Wrong date: 3 May', { scheduledFor: '2026-11-25T10:00:00Z' })),
    ask: `${NOW} The scheduled post “Wrong date: 3 May” should say “Right date: 4 May”, at the same time.`,
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'scheduled' });
      const [{ id, connectionSlug, scheduledFor }] = posts;
      await reader.mistake('update_draft', { postId: id, text: 'Right date: 4 May' }, 'invalid_request');
      await reader.call('delete_post', { postId: id });
      await reader.call('create_post', { text: 'Right date: 4 May', connectionSlugs: [connectionSlug], scheduledFor });
    },
    check: async (scene) => {
      const waiting = (await scene.all()).filter(({ status }) => status === 'scheduled');
      deepEqual(
        waiting.map(({ text, scheduledFor }) => [text, scheduledFor]),
        [['Right date: 4 May', '2026-11-25T10:00:00.000Z']],
      );
    },
  },
  {
    id: 'say what goes out this week',
    path: '/mcp/all',
    arrange: async (scene) => {
      await scene.post('In the week', { scheduledFor: '2026-11-24T10:00:00Z' });
      await scene.post('After the week', { scheduledFor: '2026-12-03T10:00:00Z' });
    },
    ask: `${NOW} What goes out from Monday to Sunday next week?`,
    solve: async (reader) => {
      const { posts } = await reader.call('list_calendar', { from: '2026-11-23', to: '2026-11-29' });
      return posts.map(({ text }: { text: string }) => text).join();
    },
    check: (_scene, reply) => {
      match(reply, /In the week/);
      deepEqual(reply.includes('After the week'), false);
    },
  },
];
