/** Stores the grant that a person has agreed to. From then on, requests with the grant are allowed. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { ApprovalRule } from '../../entities/approval-actors.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Scope } from '../access/scopes.ts';
import { recordChange } from '../audit/record-change.ts';
import { ownerActor } from '../people/owner-caller.ts';
import { holdPolicies } from '../policies/hold-policies.ts';
import { keepClientPolicy } from '../policies/keep-client-policy.ts';
import { keepClientStopped } from '../stops/keep-client-stopped.ts';
import { removeArtifact } from './artifacts.ts';
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

/**
 * Of several concurrent clicks on Allow, the first one counts.
 *
 * @throws ServiceError unauthorized when the person has just been removed
 */
export async function storeGrant(context: Context, id: string, agreement: Agreement, by: Deciding): Promise<void> {
  const { clientId, clientName, redirectHost, scopes, profileId, mode, approval } = agreement;
  const { accountId, ownerId } = by;
  const now = context.clock.now();
  const isPerson = await context.db.em().transactional(async (em: SqlEntityManager) => {
    await holdPolicies(em, by);
    // A removal of the person waits for this, and then finds the grant. Nothing here waits for what a removal has locked before.
    const [person] = await tables(em)
      .selectFrom('owners')
      .select('id')
      .where('id', '=', ownerId)
      .forKeyShare()
      .execute();
    if (person === undefined) return false;
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
    if (stored.length === 0) return true;
    await keepClientStopped(context, em, { grantId: id, accountId, clientId });
    const change = { ...answerOf(by), outcome: 'ok', mode, profileId } as const;
    await recordGrantChange(context, { ...change, grantId: id }, em);
    if (await keepClientPolicy(em, { grantId: id, ownerId, accountId, clientId, mode })) {
      const object = { type: 'policy', ids: [id] } as const;
      await recordChange(context, { ...change, operation: 'oauth.keepPolicy', object }, em);
    }
    return true;
  });
  if (isPerson) return;
  await removeArtifact(context, 'Grant', id);
  const sentence = 'You were removed from this account meanwhile. The agent got no access.';
  throw new ServiceError('unauthorized', sentence);
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
