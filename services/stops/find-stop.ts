/** Finds an active stop that keeps a post, or what a caller sends, from going out. */
import { statement } from '../../entities/statement.ts';
import type { Queries } from '../../entities/statement.ts';
import type { ItemError } from '../../errors/item-error.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import { identityOf } from '../access/identity.ts';
import { stops, stopsCaller, stopsPostBy } from './stop-condition.ts';
import { stoppedError } from './stopped-error.ts';

const RESULT = { kind: 'text', reason: 'text?', started_at: 'timestamptz', started_by_name: 'text' } as const;
const COLUMNS = 's.kind, s.reason, s.started_at, s.started_by_name';

const findStopOfPost = statement('find the stop of a post', {
  parameters: { postId: 'uuid', status: 'text', callerId: 'uuid' },
  result: RESULT,
  sql: ({ postId, status, callerId }) => `
    select ${COLUMNS} from posts p join stops s on ${stopsPostBy('s', 'p', callerId)}
    where p.id = ${postId} and p.status = ${status} order by s.id limit 1`,
});

const findStopsOfNew = statement('find the stops of new posts', {
  parameters: { accountId: 'uuid', creator: 'uuid' },
  result: { ...RESULT, target_id: 'uuid' },
  sql: ({ accountId, creator }) => `
    select ${COLUMNS}, s.target_id from stops s
    where ${stops('s', { account: accountId, profile: 's.target_id', creator })} order by s.id`,
});

const findStopOfCaller = statement('find the stop of a caller', {
  parameters: { accountId: 'uuid', callerId: 'uuid' },
  result: RESULT,
  sql: ({ accountId, callerId }) => `
    select ${COLUMNS} from stops s
    where ${stopsCaller('s', { account: accountId, caller: callerId })} order by s.id limit 1`,
});

/** The error of a stored post that is stopped, or that a stopped caller sends; null for others, or when its status has changed. */
export async function stopOfPost(
  queries: Queries,
  post: { readonly postId: string; readonly status: string; readonly callerId: string },
): Promise<ItemError | null> {
  const [stop] = await findStopOfPost(queries, post);
  return stop === undefined ? null : stoppedError(stop);
}

/** The error of what a stopped key or agent sends; null for other callers. */
export async function stopOfCaller(
  queries: Queries,
  caller: { readonly accountId: string; readonly callerId: string },
): Promise<ItemError | null> {
  const [stop] = await findStopOfCaller(queries, caller);
  return stop === undefined ? null : stoppedError(stop);
}

/**
 * Called in a transaction after its locks, so that a stop that began meanwhile is seen.
 *
 * @throws ServiceError stopped for a stopped key or agent
 */
export async function refuseStopped(queries: Queries, caller: Caller): Promise<void> {
  const stop = await stopOfCaller(queries, { accountId: caller.accountId, callerId: identityOf(caller).id });
  if (stop !== null) throw new ServiceError('stopped', stop.message);
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
