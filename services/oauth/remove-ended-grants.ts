/** Removes grants that can no longer be used. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { OauthArtifact } from '../../entities/oauth-artifact.ts';
import { Policy } from '../../entities/policy.ts';
import { columns } from '../../entities/column-lists.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import { endMadeBy } from '../keys/end-made-by.ts';
import type { Context } from '../context.ts';
import { storeOwnerNotices } from '../notices/store-owner-notices.ts';
import type { RetentionRule } from '../retention-rule.ts';

/** Days without use after which a grant ends: its refresh tokens last as long. */
export const UNUSED_DAYS = 90;

const DAY_MS = 86_400_000;

/** How long a grant is kept after its revocation. */
const REVOKED_KEPT_MS = 30 * DAY_MS;

/** Most agents that a mail names. */
const NAMED_MAX = 10;

/** Most grants in one step: what was made under them ends too. */
const GRANTS_AT_ONCE = 200;

type EndedGrant = RowOf<typeof removeGrants>;

// The grant record of oidc-provider does not expire; it is deleted when no refresh token is left. A grant without one lasts as
// long, because its keys work on. The first condition finds the rows by index. The subquery returns a value, because
// PostgreSQL would turn "not exists" into a join of the whole tables.
const removeGrants = statement('remove ended grants', {
  parameters: { revokedBefore: 'timestamptz', unusedSince: 'timestamptz' },
  result: columns('oauth_grants', ['id', 'account_id', 'client_name', 'revoked_at']).types,
  sql: ({ revokedBefore, unusedSince }) => `
    delete from oauth_grants where ctid = any(array(
      select g.ctid from oauth_grants g
      where coalesce(g.revoked_at, g.last_used_at, g.created_at) <= ${revokedBefore}
        and (g.revoked_at is not null or coalesce(g.last_used_at, g.created_at) <= ${unusedSince})
        and not coalesce((select true from oauth_artifacts a where a.grant_id = g.id and a.kind <> 'Grant' limit 1), false)
      order by coalesce(g.revoked_at, g.last_used_at, g.created_at) limit ${GRANTS_AT_ONCE} for update skip locked))
    returning id, account_id, client_name, revoked_at`,
});

/** The keys and webhooks under a grant end with it, also when it ends because it was unused. Then owners get a mail. */
export const removeEndedGrants: RetentionRule = {
  step: (context) =>
    context.db.em().transactional(async (em: SqlEntityManager) => {
      const now = context.clock.now();
      const ended = await removeGrants(em, {
        revokedBefore: new Date(now.getTime() - REVOKED_KEPT_MS),
        unusedSince: new Date(now.getTime() - UNUSED_DAYS * DAY_MS),
      });
      if (ended.length === 0) return false;
      const grantIds = ended.map(({ id }) => id);
      await em.nativeDelete(OauthArtifact, { grantId: { $in: grantIds } });
      await em.nativeDelete(Policy, { id: { $in: grantIds } });
      await endMadeBy(em, { keyIds: [], grantIds }, now);
      await noticeUnused(context, em, ended);
      return ended.length === GRANTS_AT_ONCE;
    }),
};

async function noticeUnused(context: Context, em: SqlEntityManager, ended: readonly EndedGrant[]): Promise<void> {
  const unused = ended.filter(({ revoked_at: revokedAt }) => revokedAt === null);
  for (const [accountId, grants] of Map.groupBy(unused, (grant) => grant.account_id)) {
    const names = [...new Set(grants.map((grant) => `“${grant.client_name}”`))].slice(0, NAMED_MAX).join(', ');
    await storeOwnerNotices(context, em, accountId, {
      subject:
        grants.length === 1 ? 'The access of an agent has ended' : `The access of ${grants.length} agents has ended`,
      text: [
        `Nobody has used it for ${UNUSED_DAYS} days: ${names}.`,
        'API keys and webhooks that it created have ended with it. It can ask for access again.',
        `The agents that may act for you: ${context.config.publicUrl}/agents`,
      ].join('\n\n'),
    });
  }
}
