/**
 * Revokes a grant permanently. Every request of an agent looks its grant up, so its access tokens stop working at once.
 * Its refresh tokens are deleted, and the keys and webhooks created under it end too. A second revocation changes
 * nothing.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { OauthArtifact } from '../../entities/oauth-artifact.ts';
import { type Tables, tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { endMadeBy } from '../keys/end-made-by.ts';
import { type DeletedProfile, revokeOfProfile } from '../keys/revoke-of-profile.ts';
import { ownerActor } from '../people/owner-caller.ts';
import { type Deciding, type GrantChange, recordGrantChange } from './grant-changes.ts';

/** The cause: the person who gave it, the client that returns it, or a code or token that was used twice. */
export type Ending = Deciding | { readonly cause: 'returned' | 'replayed'; readonly requestId: string };

type RevokedGrant = Pick<Tables['oauth_grants'], 'account_id' | 'client_id' | 'client_name' | 'profile_id' | 'mode'>;

/**
 * A person can revoke their own grants; an owner, those of all people of the account.
 *
 * @returns whether there was such an active grant
 */
export async function revokeGrant(context: Context, grantId: string, ending: Ending): Promise<boolean> {
  const by = 'ownerId' in ending ? ending : null;
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const at = context.clock.now();
    const row = await tables(em)
      .updateTable('oauth_grants')
      .set({ revoked_at: at })
      .where('id', '=', grantId)
      .where('revoked_at', 'is', null)
      .$if(by !== null, (query) => query.where('account_id', '=', by?.accountId ?? ''))
      .$if(by !== null && by.role !== 'owner', (query) => query.where('owner_id', '=', by?.ownerId ?? ''))
      .returning(['account_id', 'client_id', 'client_name', 'profile_id', 'mode'])
      .executeTakeFirst();
    if (row === undefined) return false;
    await endMadeBy(em, { keyIds: [], grantIds: [grantId] }, at);
    await em.nativeDelete(OauthArtifact, { grantId });
    await recordGrantChange(context, { ...changeOf(row, ending), grantId }, em);
    return true;
  });
}

const revokeGrants = revokeOfProfile('oauth_grants');

/**
 * Revokes the grants for a profile that is deleted. The caller ends what was made under them, in the same transaction. The audit
 * log records this in the entry of the profile.
 *
 * @returns their ids
 */
export async function revokeGrantsOf(em: SqlEntityManager, profile: DeletedProfile): Promise<string[]> {
  const revoked = await revokeGrants(em, profile);
  const grantIds = revoked.map(({ id }) => id);
  await em.nativeDelete(OauthArtifact, { grantId: { $in: grantIds } });
  return grantIds;
}

function changeOf(row: RevokedGrant, ending: Ending): Omit<GrantChange, 'grantId'> {
  const { requestId } = ending;
  const entry = { accountId: row.account_id, profileId: row.profile_id, mode: row.mode, requestId };
  if ('ownerId' in ending) {
    return { ...entry, actor: ownerActor(ending), surface: 'console', operation: 'oauth.revoke', outcome: 'ok' };
  }
  const client = { kind: 'oauth_client', id: row.client_id, name: row.client_name } as const;
  const byClient = { ...entry, actor: client, surface: 'oauth' } as const;
  return ending.cause === 'returned'
    ? { ...byClient, operation: 'oauth.revoke', outcome: 'ok' }
    : { ...byClient, operation: 'oauth.replay', outcome: 'unauthorized' };
}
