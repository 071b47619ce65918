/** Tasks about queues and their slots. */
import { deepEqual, equal, match } from 'node:assert/strict';
import type { Scene } from '../scene.ts';
import type { Task } from '../task.ts';

const WEEKDAYS = [1, 2, 3, 4, 5].map((weekday) => ({ weekday, time: '09:00' }));
const NOW = 'It is Saturday 21 November 2026, 12:00 UTC.';

async function withSlots(scene: Scene): Promise<string> {
  const { id } = await scene.connection('sandbox');
  await scene.done(`PATCH /connections/${id}/queue`, { slots: WEEKDAYS, timezone: 'UTC' });
  return id;
}

export const queueing: readonly Task[] = [
  {
    id: 'put a post into the queue',
    arrange: async (scene) => void (await withSlots(scene)),
    ask: 'Put “Queued” into the queue of the sandbox.',
    solve: async (reader) => {
      await reader.call('list_connections');
      await reader.call('create_post', { text: 'Queued', connectionSlugs: ['sandbox'], queue: true });
    },
    check: (scene) =>
      scene.hasPosts([{ text: 'Queued', status: 'scheduled', scheduledFor: '2026-11-23T09:00:00.000Z' }]),
  },
  {
    id: 'give a queue slots before using it',
    path: '/mcp/all',
    ask: 'Put “First in line” into the queue of the sandbox. If it has no slots yet, use weekdays at 09:00 UTC.',
    solve: async (reader) => {
      const { connections } = await reader.call('list_connections');
      const wish = { text: 'First in line', connectionSlugs: ['sandbox'], queue: true };
      const { results } = await reader.call('create_post', wish);
      equal(results[0].error.code, 'queue_empty');
      await reader.call('update_queue', { connectionId: connections[0].id, slots: WEEKDAYS, timezone: 'UTC' });
      await reader.call('create_post', wish);
    },
    check: async (scene) => {
      const waiting = (await scene.all()).filter(({ status }) => status === 'scheduled');
      deepEqual(
        waiting.map(({ scheduledFor }) => scheduledFor),
        ['2026-11-23T09:00:00.000Z'],
      );
    },
  },
  {
    id: 'choose between a time and the queue',
    arrange: async (scene) => void (await withSlots(scene)),
    ask: `${NOW} Put “One of two” into the queue of the sandbox.`,
    solve: async (reader) => {
      await reader.call('list_connections');
      const wish = { text: 'One of two', connectionSlugs: ['sandbox'], queue: true };
      await reader.mistake('create_post', { ...wish, scheduledFor: '2026-11-24T09:00:00Z' }, 'invalid_request');
      await reader.call('create_post', wish);
    },
    check: (scene) => scene.hasPosts([{ text: 'One of two', scheduledFor: '2026-11-23T09:00:00.000Z' }]),
  },
  {
    id: 'set the slots of a queue',
    path: '/mcp/all',
    ask: 'The sandbox should post from its queue on Mondays and Thursdays at 18:30, Madrid time.',
    solve: async (reader) => {
      const { connections } = await reader.call('list_connections');
      const slots = [1, 4].map((weekday) => ({ weekday, time: '18:30' }));
      await reader.call('update_queue', { connectionId: connections[0].id, slots, timezone: 'Europe/Madrid' });
    },
    check: async (scene) => {
      const { queueSlots, timezone } = await scene.connection('sandbox');
      deepEqual([queueSlots, timezone], [[1, 4].map((weekday) => ({ weekday, time: '18:30' })), 'Europe/Madrid']);
    },
  },
  {
    id: 'correct the day of a slot',
    path: '/mcp/all',
    ask: 'Give the queue of the sandbox one slot: Sundays at 08:00 UTC.',
    solve: async (reader) => {
      const { connections } = await reader.call('list_connections');
      const connectionId = connections[0].id;
      const wrong = { connectionId, slots: [{ weekday: 7, time: '08:00' }] };
      await reader.mistake('update_queue', wrong, 'invalid_request');
      await reader.call('update_queue', { connectionId, slots: [{ weekday: 0, time: '08:00' }] });
    },
    check: async (scene) => deepEqual((await scene.connection('sandbox')).queueSlots, [{ weekday: 0, time: '08:00' }]),
  },
  {
    id: 'pause a queue',
    path: '/mcp/all',
    arrange: async (scene) => void (await withSlots(scene)),
    ask: 'Hold back what is queued in the sandbox until I say so.',
    solve: async (reader) => {
      const { connections } = await reader.call('list_connections');
      await reader.call('update_queue', { connectionId: connections[0].id, paused: true });
    },
    check: async (scene) => equal((await scene.connection('sandbox')).queuePaused, true),
  },
  {
    id: 'let a queue go on',
    path: '/mcp/all',
    arrange: async (scene) => {
      await scene.done(`PATCH /connections/${await withSlots(scene)}/queue`, { paused: true });
    },
    ask: 'The queue of the sandbox may go on.',
    solve: async (reader) => {
      const { connections } = await reader.call('list_connections');
      await reader.call('update_queue', { connectionId: connections[0].id, paused: false });
    },
    check: async (scene) => equal((await scene.connection('sandbox')).queuePaused, false),
  },
  {
    id: 'exchange two queued posts',
    path: '/mcp/all',
    arrange: async (scene) => {
      await withSlots(scene);
      await scene.post('Early', { queue: true });
      await scene.post('Late', { queue: true });
    },
    ask: 'Let “Late” go out before “Early”.',
    solve: async (reader) => {
      const { connections } = await reader.call('list_connections');
      const connectionId = connections[0].id;
      const { queue } = await reader.call('get_queue', { connectionId });
      const postIds = queue.toReversed().map(({ id }: { id: string }) => id);
      await reader.call('order_queue', { connectionId, postIds });
    },
    check: (scene) =>
      scene.hasPosts([
        { text: 'Early', scheduledFor: '2026-11-24T09:00:00.000Z' },
        { text: 'Late', scheduledFor: '2026-11-23T09:00:00.000Z' },
      ]),
  },
  {
    id: 'say when the next slot is',
    arrange: async (scene) => void (await withSlots(scene)),
    ask: `${NOW} When is the next free slot of the sandbox?`,
    solve: async (reader) => (await reader.call('list_connections')).connections[0].nextSlotAt,
    check: (_scene, reply) => match(reply, /2026-11-23T09:00|23 November|November 23/),
  },
  {
    id: 'say what is queued',
    arrange: async (scene) => {
      await withSlots(scene);
      await scene.post('Queued one', { queue: true });
      await scene.post('Timed one', { scheduledFor: '2026-11-24T10:00:00Z' });
    },
    ask: 'What is in the queue of the sandbox?',
    solve: async (reader) => {
      const { connections } = await reader.call('list_connections');
      const { queue } = await reader.call('get_queue', { connectionId: connections[0].id });
      return queue.map(({ text }: { text: string }) => text).join();
    },
    check: (_scene, reply) => {
      match(reply, /Queued one/);
      equal(reply.includes('Timed one'), false);
    },
  },
  {
    id: 'move a timed post into the queue',
    path: '/mcp/all',
    arrange: async (scene) => {
      await withSlots(scene);
      await scene.post('Timed', { scheduledFor: '2026-11-28T10:00:00Z' });
    },
    ask: 'Put the scheduled post “Timed” into the queue instead.',
    solve: async (reader) => {
      const { posts } = await reader.call('list_posts', { status: 'scheduled' });
      await reader.call('reschedule_post', { postId: posts[0].id, queue: true });
    },
    check: (scene) => scene.hasPosts([{ text: 'Timed', scheduledFor: '2026-11-23T09:00:00.000Z' }]),
  },
];
