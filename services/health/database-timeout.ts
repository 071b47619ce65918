/** How long health checks wait for the database. */
import type { Context } from '../context.ts';

/** Real milliseconds after which a database that does not answer counts as down. */
const DATABASE_TIMEOUT_MS = 3_000;

/** @returns the answer; null when the query failed or took too long */
export async function withinDatabaseTimeout<Answer>(
  { clock }: Pick<Context, 'clock'>,
  query: Promise<Answer>,
): Promise<Answer | null> {
  const answered = query.catch(() => null);
  const deadline = clock.deadline(DATABASE_TIMEOUT_MS);
  const expired = new Promise<null>((resolve) => {
    if (deadline.aborted) resolve(null);
    deadline.addEventListener('abort', () => resolve(null), { once: true });
  });
  return Promise.race([answered, expired]);
}
