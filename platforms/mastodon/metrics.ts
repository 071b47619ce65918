/** Reads the metrics of statuses from the account's own server. */
import { z } from 'zod';
import { type PostMetrics, type MetricsReading, PlatformFailure, type PlatformIo, type ReadPost } from '../contract.ts';
import type { Session } from '../credential.ts';
import { askAboutStatus } from './ask-about-status.ts';
import { type Access, callMastodon, failure } from './api.ts';
import { isTemporary } from '../http.ts';

/** Number of statuses to request at once: the default page size of servers. */
export const STATUSES_MAX = 20;

/** The gate drops each invalid count, so that the other metrics of the response are still read. */
const count = z.number();

const Counted = z.object({ id: z.string(), favourites_count: count, reblogs_count: count, replies_count: count });

export async function readMetrics(
  { credential }: Session<Access>,
  posts: readonly ReadPost[],
  io: PlatformIo,
): Promise<MetricsReading> {
  const ids = posts.map(({ platformPostId }) => platformPostId);
  const reading = new Map<string, PostMetrics | 'gone'>(await readTogether(io, credential, ids));
  // A status missing from the list may be deleted or beyond the server's page size, so each is requested
  // individually.
  for (const id of ids) if (!reading.has(id)) reading.set(id, await readOne(io, credential, id));
  return reading;
}

/** Reads all statuses in one call. Empty on servers without such a list, for example before Mastodon 4.3. */
async function readTogether(io: PlatformIo, access: Access, ids: readonly string[]) {
  if (ids.length === 1) return [];
  const parameters = new URLSearchParams(ids.map((id) => ['id[]', id]));
  const answer = await callMastodon(io, access, `/api/v1/statuses?${parameters.toString()}`);
  if (answer.status === 401 || isTemporary(answer)) throw failure(answer);
  const listed = z.array(Counted).safeParse(answer.body);
  return listed.success ? listed.data.map((status) => [status.id, metricsOf(status)] as const) : [];
}

async function readOne(io: PlatformIo, access: Access, id: string): Promise<PostMetrics | 'gone'> {
  const { answer, isGone } = await askAboutStatus(io, access, id, 'GET');
  const status = Counted.safeParse(answer.body);
  if (answer.status === 200 && status.success) return metricsOf(status.data);
  if (isGone) return 'gone';
  if (answer.status !== 200) throw failure(answer);
  throw new PlatformFailure('unavailable', 'The Mastodon server answered without the metrics of the status.');
}

function metricsOf(status: z.infer<typeof Counted>): PostMetrics {
  return { likes: status.favourites_count, reposts: status.reblogs_count, replies: status.replies_count };
}
