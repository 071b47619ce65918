/** Deletes expired codes and tokens, grants that can no longer be used, and clients that no one agreed to. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { OauthArtifact } from '../../entities/oauth-artifact.ts';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { endMadeBy } from '../keys/end-made-by.ts';
import { cleanUpSigningKeys } from './signing-keys.ts';

/** How long a grant is kept after its revocation or its last use, once nothing can use it. */
const GRANT_MS = 30 * 86_400_000;

const removeUnusedClients = statement('delete clients that no one agreed to', {
  parameters: { now: 'timestamptz' },
  sql: ({ now }) => `
    delete from oauth_artifacts a where a.kind = 'Client' and a.expires_at <= ${now}
      and not exists (select 1 from oauth_grants g where g.client_id = a.payload->>'client_id')`,
});

export async function cleanUpOauth(context: Context): Promise<void> {
  const now = context.clock.now();
  const em = context.db.em();
  await em.nativeDelete(OauthArtifact, { kind: { $nin: ['Client', 'Grant'] }, expiresAt: { $lte: now } });
  await removeEndedGrants(context, now);
  await removeUnusedClients(em, { now });
  await cleanUpSigningKeys(context);
}

/** The keys and webhooks under a grant end with it, even when the grant ends because it was unused. */
async function removeEndedGrants(context: Context, now: Date): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const lastUsedBefore = new Date(now.getTime() - GRANT_MS).toISOString();
    const ended = await tables(em)
      .deleteFrom('oauth_grants')
      .where(({ fn }) => fn.coalesce('revoked_at', 'last_used_at', 'created_at'), '<=', lastUsedBefore)
      // The grant record of oidc-provider does not expire; it is deleted when no refresh token is left.
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('oauth_artifacts')
              .select('id_hash')
              .whereRef('oauth_artifacts.grant_id', '=', 'oauth_grants.id')
              .where('kind', '<>', 'Grant'),
          ),
        ),
      )
      .returning('id')
      .execute();
    const grantIds = ended.map(({ id }) => id);
    await em.nativeDelete(OauthArtifact, { grantId: { $in: grantIds } });
    await endMadeBy(em, { keyIds: [], grantIds }, now);
  });
}
