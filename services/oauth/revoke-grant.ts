/**
 * Revokes a grant permanently. Every request of an agent looks its grant up, so its access tokens stop working at once.
 * Its refresh tokens are deleted, and the keys and webhooks created under it end too. A second revocation changes
 * nothing.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { OauthArtifact } from '../../entities/oauth-artifact.ts';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { endMadeBy } from '../keys/end-made-by.ts';
import { ownerActor } from '../people/owner-caller.ts';
import { type Deciding, type GrantChange, recordGrantChange } from './grant-changes.ts';

/** The cause: the person who gave it, the client that returns it, or a code or token that was used twice. */
export type Ending = Deciding | { readonly cause: 'returned' | 'replayed'; readonly requestId: string };

interface Row {
  account_id: string;
  client_id: string;
  client_name: string;
  profile_id: string | null;
  mode: 'live' | 'test';
}

const REVOKE = `
  update oauth_grants set revoked_at = $2
  where id = $1 and revoked_at is null and ($3::uuid is null or (owner_id = $3 and account_id = $4))
  returning account_id, client_id, client_name, profile_id, mode`;

/** A person can only revoke their own grants. */
export async function revokeGrant(context: Context, grantId: string, ending: Ending): Promise<void> {
  const [ownerId, accountId] = 'ownerId' in ending ? [ending.ownerId, ending.accountId] : [null, null];
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const at = context.clock.now();
    const [row] = await query<Row>(em, REVOKE, [grantId, at, ownerId, accountId]);
    if (row === undefined) return;
    await endMadeBy(em, { keyIds: [], grantIds: [grantId] }, at);
    await em.nativeDelete(OauthArtifact, { grantId });
    await recordGrantChange(context, { ...changeOf(row, ending), grantId }, em);
  });
}

/** Revokes the grants for a profile that is deleted. The audit log records this in the entry of the profile. */
export async function revokeGrantsOf(
  em: SqlEntityManager,
  { accountId, profileId, at }: { readonly accountId: string; readonly profileId: string; readonly at: Date },
): Promise<void> {
  const sql = `
    update oauth_grants set revoked_at = $3 where account_id = $1 and profile_id = $2 and revoked_at is null
    returning id`;
  const revoked = await query<{ id: string }>(em, sql, [accountId, profileId, at]);
  const grantIds = revoked.map(({ id }) => id);
  await query(em, 'delete from oauth_artifacts where grant_id = any($1::uuid[])', [grantIds]);
  await endMadeBy(em, { keyIds: [], grantIds }, at);
}

function changeOf(row: Row, ending: Ending): Omit<GrantChange, 'grantId'> {
  const { requestId } = ending;
  const about = { accountId: row.account_id, profileId: row.profile_id, mode: row.mode, requestId };
  if ('ownerId' in ending) {
    return { ...about, actor: ownerActor(ending), surface: 'console', operation: 'oauth.revoke', outcome: 'ok' };
  }
  const client = { kind: 'oauth_client', id: row.client_id, name: row.client_name } as const;
  const byClient = { ...about, actor: client, surface: 'oauth' } as const;
  return ending.cause === 'returned'
    ? { ...byClient, operation: 'oauth.revoke', outcome: 'ok' }
    : { ...byClient, operation: 'oauth.replay', outcome: 'unauthorized' };
}
