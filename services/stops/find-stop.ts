/** Finds an active stop that keeps a post from going out. */
import { statement } from '../../entities/statement.ts';
import type { Queries } from '../../entities/statement.ts';
import type { ItemError } from '../../errors/item-error.ts';
import { stops, stopsPost } from './stop-condition.ts';
import { stoppedError } from './stopped-error.ts';

const RESULT = { kind: 'text', reason: 'text?', started_at: 'timestamptz', started_by_name: 'text' } as const;
const COLUMNS = 's.kind, s.reason, s.started_at, s.started_by_name';

const findStopOfPost = statement('find the stop of a post', {
  parameters: { postId: 'uuid', status: 'text' },
  result: RESULT,
  sql: ({ postId, status }) => `
    select ${COLUMNS} from posts p join stops s on ${stopsPost('s', 'p')}
    where p.id = ${postId} and p.status = ${status} order by s.id limit 1`,
});

const findStopsOfNew = statement('find the stops of new posts', {
  parameters: { accountId: 'uuid', creator: 'uuid' },
  result: { ...RESULT, target_id: 'uuid' },
  sql: ({ accountId, creator }) => `
    select ${COLUMNS}, s.target_id from stops s
    where ${stops('s', { account: accountId, profile: 's.target_id', creator })} order by s.id`,
});

/** The error of a stored post that is stopped; null for one that is not, or whose status has changed. */
export async function stopOfPost(
  queries: Queries,
  post: { readonly postId: string; readonly status: string },
): Promise<ItemError | null> {
  const [stop] = await findStopOfPost(queries, post);
  return stop === undefined ? null : stoppedError(stop);
}

/** The error of new posts of a caller, by the profile of their connection. Makes one query for all. */
export async function stopsOfNew(
  queries: Queries,
  caller: { readonly accountId: string; readonly creator: string },
): Promise<(profileId: string | null) => ItemError | null> {
  const found = await findStopsOfNew(queries, caller);
  return (profileId) => {
    const stop = found.find(({ kind, target_id: target }) => kind !== 'profile' || target === profileId);
    return stop === undefined ? null : stoppedError(stop);
  };
}
