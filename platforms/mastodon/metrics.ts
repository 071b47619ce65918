/** The numbers of statuses, as the account's own server counts them. */
import { z } from 'zod';
import {
  type MetricNumbers,
  type MetricsReading,
  PlatformFailure,
  type PlatformIo,
  type ReadPost,
} from '../contract.ts';
import type { Session } from '../login.ts';
import { type Access, callMastodon, failure } from './api.ts';

/** Statuses that are asked for at once: a page, as servers have it where nothing else is said. */
export const STATUSES_MAX = 20;

/** The gate leaves out a number that is no count, so that the others of the answer are still read. */
const count = z.number();

const Counted = z.object({ id: z.string(), favourites_count: count, reblogs_count: count, replies_count: count });

export async function readMetrics(
  { credential }: Session<Access>,
  posts: readonly ReadPost[],
  io: PlatformIo,
): Promise<MetricsReading> {
  const ids = posts.map(({ platformPostId }) => platformPostId);
  const reading = new Map<string, MetricNumbers | 'gone'>(await readTogether(io, credential, ids));
  // What the list leaves out may be gone, or may be more than this server lists: each is asked for by itself.
  for (const id of ids) if (!reading.has(id)) reading.set(id, await readOne(io, credential, id));
  return reading;
}

/** Servers before Mastodon 4.3, and some others, have no such list: nothing is read then. */
async function readTogether(io: PlatformIo, access: Access, ids: readonly string[]) {
  if (ids.length === 1) return [];
  const parameters = new URLSearchParams(ids.map((id) => ['id[]', id]));
  const answer = await callMastodon(io, access, `/api/v1/statuses?${parameters.toString()}`);
  if (answer.status === 401 || answer.status === 429 || answer.status >= 500) throw failure(answer);
  const listed = z.array(Counted).safeParse(answer.body);
  return listed.success ? listed.data.map((status) => [status.id, numbersOf(status)] as const) : [];
}

async function readOne(io: PlatformIo, access: Access, id: string): Promise<MetricNumbers | 'gone'> {
  const answer = await callMastodon(io, access, `/api/v1/statuses/${encodeURIComponent(id)}`);
  const status = Counted.safeParse(answer.body);
  if (answer.status === 200 && status.success) return numbersOf(status.data);
  if (answer.status === 404 || answer.status === 410) return 'gone';
  if (answer.status !== 200) throw failure(answer);
  throw new PlatformFailure('unavailable', 'The Mastodon server answered without the numbers of the status.');
}

function numbersOf(status: z.infer<typeof Counted>): MetricNumbers {
  return { likes: status.favourites_count, reposts: status.reblogs_count, replies: status.replies_count };
}
