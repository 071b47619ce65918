/** Stores the grant that a person has agreed to. From then on, requests with the grant are allowed. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { ApprovalRule } from '../../entities/approval-actors.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import type { Scope } from '../access/scopes.ts';
import { ownerActor } from '../people/owner-caller.ts';
import { type Deciding, recordGrantChange } from './grant-changes.ts';

export interface Agreement {
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectHost: string;
  readonly scopes: readonly Scope[];
  /** The only profile that it reaches; null reaches the whole account. */
  readonly profileId: string | null;
  readonly mode: 'live' | 'test';
  /** Whether what it wants to send waits for a person. */
  readonly approval: ApprovalRule;
}

/** Of several concurrent clicks on Allow, the first one counts. */
export async function storeGrant(context: Context, id: string, agreement: Agreement, by: Deciding): Promise<void> {
  const { clientId, clientName, redirectHost, scopes, profileId, mode, approval } = agreement;
  const { accountId, ownerId } = by;
  const now = context.clock.now();
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const stored = await tables(em)
      .insertInto('oauth_grants')
      .values({
        id,
        account_id: accountId,
        owner_id: ownerId,
        client_id: clientId,
        client_name: clientName,
        redirect_host: redirectHost,
        scopes: [...scopes],
        profile_id: profileId,
        mode,
        approval,
        created_at: now,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .execute();
    if (stored.length === 0) return;
    await recordGrantChange(context, { ...answerOf(by), grantId: id, outcome: 'ok', mode, profileId }, em);
  });
}

/** Records a denial in the audit log; nothing else is stored. */
export async function recordDenial(context: Context, by: Deciding): Promise<void> {
  const nothing = { grantId: null, mode: 'live', profileId: null } as const;
  await recordGrantChange(context, { ...answerOf(by), ...nothing, outcome: 'forbidden' });
}

function answerOf(by: Deciding) {
  const { accountId, requestId } = by;
  return { accountId, actor: ownerActor(by), surface: 'oauth', operation: 'oauth.grant', requestId } as const;
}
