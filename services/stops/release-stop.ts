/** Ends a stop: the posts that it held go on, or are cancelled together, in one transaction. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import { identityOf } from '../access/identity.ts';
import type { Context } from '../context.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { readStop, type StopView } from './read-stops.ts';
import { refuseBeyondTest } from './refuse-beyond-test.ts';
import { stopsPost } from './stop-condition.ts';

export interface Release {
  readonly stopId: string;
  /** What happens to the posts that it holds. */
  readonly posts: 'send' | 'drop';
}

// Decided where the post is updated: the send of one may end meanwhile, and the post then waits for a repeat.
const isDropped = (drops: string) => `${drops} and p.status = 'scheduled'`;

// A post that another stop is about goes over to it. Posts of paused queues are held again when they are due. Posts are locked
// in the order of their ids, as everywhere.
const releasePosts = statement('release the posts of a stop', {
  parameters: { stopId: 'uuid', drops: 'boolean' },
  sql: ({ stopId, drops }) => `
    update posts p set status = case when ${isDropped(drops)} then 'cancelled' else p.status end,
      stop_id = case when ${isDropped(drops)} then null else n.id end,
      held = not (${isDropped(drops)}) and n.id is not null and p.status = 'scheduled'
    from (select id, (select s.id from stops s where ${stopsPost('s', 'w')} order by s.id limit 1) as next
      from posts w where w.stop_id = ${stopId} order by w.id for no key update of w) o
    left join stops n on n.id = o.next
    where p.id = o.id and p.status in ('scheduled', 'processing')`,
});

/**
 * Posts that are overdue go on by the rules of late posts (docs/contract/scheduling.md#late-posts).
 *
 * @throws ServiceError not_found, also when it was released already; forbidden (live posts in test mode)
 */
export async function releaseStop(context: Context, caller: Caller, { stopId, posts }: Release): Promise<StopView> {
  const { kind } = await readStop(context, caller, stopId);
  refuseBeyondTest(caller, kind);
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    // Two stops that are released at once would each hand the other its posts.
    await lockAccount(em, caller.accountId);
    const released = await tables(em)
      .updateTable('stops')
      .set({
        released_at: context.clock.now(),
        released_by_name: identityOf(caller).name,
        outcome: posts === 'drop' ? 'dropped' : 'sent',
      })
      .where('id', '=', stopId)
      .where('account_id', '=', caller.accountId)
      .where('released_at', 'is', null)
      .returning('id')
      .execute();
    if (released.length === 0) throw new ServiceError('not_found', `The stop ${stopId} was released already.`);
    await releasePosts(em, { stopId, drops: posts === 'drop' });
  });
  return readStop(context, caller, stopId);
}
