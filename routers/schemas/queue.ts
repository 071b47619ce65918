/** The queue of a connection on the wire (docs/contract/scheduling.md#queues). */
import { z } from 'zod';
import { nextCursorOutput, timestampOutput, uuidOutput } from './common.ts';

const QueueItem = z
  .strictObject({
    id: uuidOutput('Id of the post.'),
    text: z.string().describe('What will go out.'),
    scheduledFor: timestampOutput('The slot it waits for.'),
    mediaCount: z.int().describe('Number of its images.'),
  })
  .meta({ id: 'QueueItem', description: 'A post that waits in a queue.' });

/** A page of a queue, or all of it. */
export const QueueOutput = z.strictObject({
  queue: z.array(QueueItem).describe('Queued posts, earliest slot first.'),
  paused: z.boolean().describe('Whether queued posts are kept back.'),
  nextCursor: nextCursorOutput(),
});
