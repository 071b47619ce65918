/** Stops what an account, a profile, a key or an agent sends, and holds what waits, in one transaction. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { StopKind } from '../../entities/stop.ts';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import { findKeyOrGrant } from '../access/find-key-or-grant.ts';
import { identityOf } from '../access/identity.ts';
import type { Context } from '../context.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { refuseBeyondTest } from './refuse-beyond-test.ts';
import { stopsPost } from './stop-condition.ts';
import { readStop, type StopView } from './read-stops.ts';

export interface StopInput {
  /** At most one of these; the whole account without any. */
  readonly profileId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly grantId?: string | undefined;
  readonly reason?: string | undefined;
}

// A post that is being sent ends as it ends; when its platform is not available, it waits for the release. Posts are locked in the
// order of their ids, as everywhere, so that a stop and another change of many posts cannot deadlock.
const holdPosts = statement('hold the posts of a stop', {
  parameters: { stopId: 'uuid', accountId: 'uuid' },
  sql: ({ stopId, accountId }) => `
    update posts p set stop_id = o.stop_id, held = p.held or p.status = 'scheduled'
    from (
      select w.id, s.id as stop_id from stops s join posts w on w.account_id = ${accountId}
      where s.id = ${stopId} and w.status in ('scheduled', 'processing') and w.stop_id is null and ${stopsPost('s', 'w')}
      order by w.id for no key update of w
    ) o where p.id = o.id`,
});

/** @throws ServiceError invalid_request (more than one target), forbidden (live posts in test mode), not_found, already_stopped */
export async function stopSending(context: Context, caller: Caller, input: StopInput): Promise<StopView> {
  const { kind, targetId } = targetOf(caller, input);
  refuseBeyondTest(caller, kind);
  const id = context.random.uuid();
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    // Releasing a stop takes the same lock. Posts are stored without it: the statement that stores them looks for stops.
    await lockAccount(em, caller.accountId);
    const clientId = kind === 'account' ? null : await requireTarget(em, caller, kind, targetId);
    const by = identityOf(caller);
    const stored = await tables(em)
      .insertInto('stops')
      .values({
        id,
        account_id: caller.accountId,
        kind,
        target_id: targetId,
        client_id: clientId,
        reason: input.reason ?? null,
        started_at: context.clock.now(),
        started_by_kind: by.kind,
        started_by_id: by.id,
        started_by_name: by.name,
      })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'kind', 'target_id']).where('released_at', 'is', null).doNothing(),
      )
      .returning('id')
      .execute();
    if (stored.length === 0) throw new ServiceError('already_stopped');
    await holdPosts(em, { stopId: id, accountId: caller.accountId });
  });
  return readStop(context, caller, id);
}

function targetOf(caller: Caller, { profileId, keyId, grantId }: StopInput): { kind: StopKind; targetId: string } {
  const named = Object.entries({ profile: profileId, key: keyId, grant: grantId }).filter(([, id]) => id !== undefined);
  if (named.length > 1) {
    throw new ServiceError('invalid_request', 'body: name at most one of profileId, keyId and grantId.');
  }
  const [[kind, targetId] = ['account', caller.accountId]] = named;
  return { kind: kind as StopKind, targetId: targetId as string };
}

/** @returns the client of a grant; null for a profile and a key */
async function requireTarget(
  em: SqlEntityManager,
  caller: Caller,
  kind: Exclude<StopKind, 'account'>,
  id: string,
): Promise<string | null> {
  const target = kind === 'profile' ? null : await findKeyOrGrant(em, caller, id);
  const isFound = kind === 'profile' ? await isProfile(em, caller, id) : target?.kind === kind;
  if (!isFound) throw new ServiceError('not_found', `No ${kind} of yours has the id ${id}.`);
  return target?.clientId ?? null;
}

/** Whether the account has or had the profile: keys of a deleted one may have created others. */
async function isProfile(em: SqlEntityManager, { accountId }: Caller, id: string): Promise<boolean> {
  const found = await tables(em)
    .selectFrom('profiles')
    .select('id')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return found !== undefined;
}
