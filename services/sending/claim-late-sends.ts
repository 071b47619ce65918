/**
 * Settles late posts connection by connection, and claims the one of each that is sent now
 * (docs/contract/scheduling.md#late-posts).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { columns } from '../../entities/column-lists.ts';
import { isDatabaseAway } from '../../entities/database-away.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import type { WithRestoreWatch } from '../restores/restore-watch.ts';
import { rowNeedsAdmission } from '../plans/admit-posts.ts';
import { PLAN_TERMS } from '../plans/plan-terms.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { AWAITS_MODEL } from '../polish/rewrite-wanted.ts';
import {
  type CountedSend,
  countInProgress,
  fullShares,
  hasPlace,
  platformsWithCapacity,
} from '../scheduling/concurrency-limits.ts';
import { lateBefore } from '../scheduling/lateness.ts';
import { settleLatePosts } from '../scheduling/settle-late-posts.ts';
import { holdStopped } from '../stops/hold-stopped.ts';
import type { WithSender } from './post-sender.ts';
import { claimAdmitted, type TakenPosts } from './claim-admitted.ts';
import { claimingScheduled } from './end-claim.ts';

/** Maximum number of connections that one round settles. */
const CONNECTIONS_AT_ONCE = 100;

// Of the late posts of a connection, one that was scheduled by hand is sent. It may be any of them that waits for a model.
const findLateConnections = statement('find connections with late posts', {
  parameters: {
    before: 'timestamptz',
    heldUntil: 'timestamptz',
    platformIds: 'text[]',
    fullConnections: 'uuid[]',
    fullAccounts: 'text[]',
    fullModels: 'text[]',
    hasModel: 'boolean',
    now: 'timestamptz',
    limit: 'int',
  },
  result: {
    ...columns('connections', ['id', 'account_id', 'platform_id']).types,
    ...PLAN_TERMS.types,
    awaits_model: 'boolean',
  },
  sql: (given) => `
    with late as (
      select c.id, c.account_id, c.platform_id, ${PLAN_TERMS.sql},
        bool_or(${given.hasModel} and not p.queued and ${AWAITS_MODEL}) as awaits_model
      from posts p join connections c on c.id = p.connection_id join accounts a on a.id = c.account_id
      where p.status = 'scheduled' and not p.held and p.scheduled_for < ${given.before}
        and p.scheduled_for > ${given.heldUntil} and p.platform_id = any(${given.platformIds})
        and c.id <> all(${given.fullConnections}) and c.account_id || ' ' || c.platform_id <> all(${given.fullAccounts})
        and (c.backoff_until is null or c.backoff_until <= ${given.now})
      group by c.id, a.id
    )
    select * from late where not awaits_model or platform_id <> all(${given.fullModels}) limit ${given.limit}`,
});

type LateConnection = RowOf<typeof findLateConnections>;

/**
 * Yields what each transaction has committed, so that its sends start before the next one, which may wait for locks. The
 * failure of a connection is logged, and its posts are taken in a later round.
 *
 * @throws the error of a database that went away
 */
export async function* claimLateSends(
  context: Context & WithSender & WithRestoreWatch,
): AsyncGenerator<TakenPosts, void, undefined> {
  const { heldUntil } = await context.restores.check();
  await holdStopped(context);
  const now = context.clock.now();
  const { platforms, sends } = context;
  const { connections: fullConnections, accounts, models } = fullShares(platforms, sends.inProgress);
  const connections = await findLateConnections(context.db.em(), {
    before: lateBefore(now),
    heldUntil,
    platformIds: platformsWithCapacity(platforms, countInProgress(sends.inProgress)),
    fullConnections,
    fullAccounts: accounts,
    fullModels: models,
    hasModel: context.polisher !== null,
    now,
    limit: CONNECTIONS_AT_ONCE,
  });
  for (const connection of connections) {
    // The sends of the connections before it count too. Its posts stay late for a later round.
    if (!hasPlace(platforms, placeOf(connection), sends.inProgress)) continue;
    const taken = await takeLate(context, connection, now);
    if (taken !== null) yield taken;
  }
}

function placeOf({ id, account_id, platform_id, awaits_model }: LateConnection): CountedSend {
  return {
    connectionId: id,
    accountId: account_id,
    platformId: platform_id,
    awaitsModel: awaits_model,
    isImmediate: false,
  };
}

/** Each connection has its own claim: ending that of a transaction that failed must not end those of sends in progress. */
async function takeLate(
  context: Context & WithRestoreWatch,
  connection: LateConnection,
  now: Date,
): Promise<TakenPosts | null> {
  const claim = context.random.uuid();
  const claimOne = (em: SqlEntityManager) => claimLate(context, em, connection, { now, claim });
  try {
    return await claimingScheduled(context, claim, () => context.db.em().transactional(claimOne));
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    context.log.error(
      { connectionId: connection.id, err: error },
      'the late posts of a connection could not be settled',
    );
    return null;
  }
}

async function claimLate(
  context: Context & WithRestoreWatch,
  em: SqlEntityManager,
  connection: LateConnection,
  { now, claim }: { readonly now: Date; readonly claim: string },
): Promise<TakenPosts> {
  const heldUntil = await context.restores.confirm(em);
  if (rowNeedsAdmission(context, connection)) await lockAccount(em, connection.account_id);
  const { next, moved } = await settleLatePosts(context, em, connection.id, { now, heldUntil });
  const taken = await claimAdmitted(context, em, next === null ? [] : [next], claim);
  return { sends: taken.sends, moved: moved + taken.moved };
}
