/** Stores the grant that a person has agreed to. From then on, requests with the grant are allowed. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import type { Scope } from '../keys/scopes.ts';
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
}

const STORE = `
  insert into oauth_grants (id, account_id, owner_id, client_id, client_name, redirect_host, scopes, profile_id, mode,
    created_at)
  values ($1, $2, $3, $4, $5, $6, $7::text[], $8, $9, $10) on conflict (id) do nothing returning id`;

/** Of several concurrent clicks on Allow, the first one counts. */
export async function storeGrant(context: Context, id: string, agreement: Agreement, by: Deciding): Promise<void> {
  const { clientId, clientName, redirectHost, scopes, profileId, mode } = agreement;
  const { accountId, ownerId } = by;
  const now = context.clock.now();
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const row = [id, accountId, ownerId, clientId, clientName, redirectHost, [...scopes], profileId, mode, now];
    if ((await query(em, STORE, row)).length === 0) return;
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
