/** Removes grants that can no longer be used. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { OauthArtifact } from '../../entities/oauth-artifact.ts';
import { column } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import { endMadeBy } from '../keys/end-made-by.ts';
import type { RetentionRule } from '../retention-rule.ts';

/** How long a grant is kept after its revocation or its last use, once nothing can use it. */
const KEPT_MS = 30 * 86_400_000;

/** Most grants in one step: what was made under them ends too. */
const GRANTS_AT_ONCE = 200;

// The grant record of oidc-provider does not expire; it is deleted when no refresh token is left. The subquery returns a
// value, because PostgreSQL would turn "not exists" into a join of the whole tables.
const removeGrants = statement('remove ended grants', {
  parameters: { before: 'timestamptz' },
  result: { id: column('oauth_grants', 'id') },
  sql: ({ before }) => `
    delete from oauth_grants where ctid = any(array(
      select g.ctid from oauth_grants g
      where coalesce(g.revoked_at, g.last_used_at, g.created_at) <= ${before}
        and not coalesce((select true from oauth_artifacts a where a.grant_id = g.id and a.kind <> 'Grant' limit 1), false)
      order by coalesce(g.revoked_at, g.last_used_at, g.created_at) limit ${GRANTS_AT_ONCE} for update skip locked))
    returning id`,
});

/** The keys and webhooks under a grant end with it, even when the grant ends because it was unused. */
export const removeEndedGrants: RetentionRule = {
  step: (context) =>
    context.db.em().transactional(async (em: SqlEntityManager) => {
      const now = context.clock.now();
      const ended = await removeGrants(em, { before: new Date(now.getTime() - KEPT_MS) });
      if (ended.length === 0) return false;
      const grantIds = ended.map(({ id }) => id);
      await em.nativeDelete(OauthArtifact, { grantId: { $in: grantIds } });
      await endMadeBy(em, { keyIds: [], grantIds }, now);
      return ended.length === GRANTS_AT_ONCE;
    }),
};
