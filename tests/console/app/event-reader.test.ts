/** The messages that the console reads from a stream of events. */
import { expect, it } from 'vitest';
import { readMessages } from '../../../console/app/data/live/event-reader.ts';

it('reads data with a line separator, in pieces of any size', async () => {
  const data = JSON.stringify({ post: { text: 'One\u2028two: three\u2029four' } });
  const bytes = new TextEncoder().encode(`id: 7\nevent: post.sent\ndata: ${data}\n\n`);
  const body = new Blob([bytes.slice(0, 50), bytes.slice(50)]).stream();

  const messages = await Array.fromAsync(readMessages(body));

  expect(messages).toEqual([{ event: 'post.sent', id: '7', data }]);
});
