/** Orders of posts in a queue, as the console shows them before the service has answered. */
import { expect, it } from 'vitest';
import { changedPart, inOrder, movedTo } from '../../console/app/views/queues/order.ts';

const at = (day: number) => `2026-11-0${day}T09:00:00.000Z`;
const post = (id: string, day: number) => ({ id, text: id, scheduledFor: at(day), mediaCount: 0 });
const QUEUE = [post('a', 1), post('b', 2), post('c', 3), post('d', 4)];
const shownAs = (queue: ReturnType<typeof inOrder>) => queue.map(({ id, scheduledFor }) => `${id} ${scheduledFor}`);

it.each([
  ['nothing named', QUEUE, [], ['a', 'b', 'c', 'd']],
  ['two posts', QUEUE, ['d', 'b'], ['a', 'd', 'c', 'b']],
  ['all posts', QUEUE, ['d', 'c', 'a', 'b'], ['d', 'c', 'a', 'b']],
  ['a post that has left the queue', QUEUE, ['c', 'gone', 'a'], ['c', 'b', 'a', 'd']],
  ['a queue that is not in the order of its times', QUEUE.toReversed(), ['b', 'a'], ['b', 'a', 'c', 'd']],
])('posts share out their times: %s', (_name, queue, ids, expected) => {
  expect(shownAs(inOrder(queue, ids))).toEqual(expected.map((id, index) => `${id} ${at(index + 1)}`));
});

it('an order that the service has applied already changes nothing', () => {
  const once = inOrder(QUEUE, ['d', 'b', 'a']);

  expect(inOrder(once, ['d', 'b', 'a'])).toEqual(once);
});

it.each<[string, number, string[]]>([
  ['a', 2, ['b', 'c', 'a', 'd']],
  ['d', 0, ['d', 'a', 'b', 'c']],
  ['b', 1, ['a', 'b', 'c', 'd']],
  ['a', -1, ['a', 'b', 'c', 'd']],
  ['d', 4, ['a', 'b', 'c', 'd']],
  ['gone', 0, ['a', 'b', 'c', 'd']],
])('%s moved to %i', (id, index, expected) => {
  expect(movedTo(['a', 'b', 'c', 'd'], id, index)).toEqual(expected);
});

it('the service gets the posts that move, and no others', () => {
  const before = ['a', 'b', 'c', 'd'];

  expect(changedPart(before, ['a', 'c', 'b', 'd'])).toEqual({ before: ['b', 'c'], after: ['c', 'b'] });
  expect(changedPart(before, before)).toEqual({ before: [], after: [] });
});
