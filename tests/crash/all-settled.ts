/** Waits until all posts of an install are settled. */
import type { ServerProcess } from './install.ts';
import { waitUntil } from './wait-until.ts';

/**
 * In this order, one after the other: a post that is claimed between two reads is in the second, and one that is put off
 * is in the last. Reads at the same time could miss a post that moves.
 */
const STATUSES = ['scheduled', 'processing', 'scheduled'] as const;

/** Waits until no post is scheduled or being sent. */
export function allSettled(server: Pick<ServerProcess, 'rest'>, timeoutMs = 60_000): Promise<boolean> {
  return waitUntil('all posts are settled', () => areSettled(server), timeoutMs);
}

/** False also when the service does not answer. */
async function areSettled(server: Pick<ServerProcess, 'rest'>): Promise<boolean> {
  for (const status of STATUSES) {
    const answer = await server.rest(`GET /posts?status=${status}&limit=1`);
    if (answer.status !== 200 || answer.body.posts.length > 0) return false;
  }
  return true;
}
