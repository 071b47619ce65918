/** Removes grants that can no longer be used. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { OauthArtifact } from '../../entities/oauth-artifact.ts';
import { Policy } from '../../entities/policy.ts';
import { anyOf } from '../../entities/any-of.ts';
import { column, columns } from '../../entities/column-lists.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import { endMadeBy } from '../keys/end-made-by.ts';
import type { Context } from '../context.ts';
import { type NoticeText, storeOwnerNotices } from '../notices/store-owner-notices.ts';
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

/** When grants count as ended. */
const BEFORE = { revokedBefore: 'timestamptz', unusedSince: 'timestamptz' } as const;

// The grant record of oidc-provider does not expire; it is deleted when no refresh token is left. A grant without one lasts as
// long, because its keys work on. The first condition finds the rows by index. The subquery returns a value, because
// PostgreSQL would turn "not exists" into a join of the whole tables.
const hasEnded = ({ revokedBefore, unusedSince }: Readonly<Record<keyof typeof BEFORE, string>>) => `
  coalesce(g.revoked_at, g.last_used_at, g.created_at) <= ${revokedBefore}
  and (g.revoked_at is not null or coalesce(g.last_used_at, g.created_at) <= ${unusedSince})
  and not coalesce((select true from oauth_artifacts a where a.grant_id = g.id and a.kind <> 'Grant' limit 1), false)`;

const findEnded = statement('find ended grants', {
  parameters: BEFORE,
  result: { id: column('oauth_grants', 'id') },
  sql: (before) => `
    select g.id from oauth_grants g where ${hasEnded(before)}
    order by coalesce(g.revoked_at, g.last_used_at, g.created_at) limit ${GRANTS_AT_ONCE}`,
});

// One may have been used since it was found.
const removeGrants = statement('remove ended grants', {
  parameters: { ...BEFORE, ids: 'uuid[]' },
  result: columns('oauth_grants', ['id', 'account_id', 'client_id', 'client_name', 'revoked_at']).types,
  sql: ({ ids, ...before }) => `
    delete from oauth_grants where ctid = any(array(
      select g.ctid from oauth_grants g where g.id = any(${ids}) and ${hasEnded(before)} for update skip locked))
    returning id, account_id, client_id, client_name, revoked_at`,
});

/** The keys and webhooks under a grant end with it, also when it ends because it was unused. Then owners get a mail. */
export const removeEndedGrants: RetentionRule = {
  step: (context) =>
    context.db.em().transactional(async (em: SqlEntityManager) => {
      const now = context.clock.now();
      const before = {
        revokedBefore: new Date(now.getTime() - REVOKED_KEPT_MS),
        unusedSince: new Date(now.getTime() - UNUSED_DAYS * DAY_MS),
      };
      const ids = (await findEnded(em, before)).map(({ id }) => id);
      if (ids.length === 0) return false;
      // Policies are locked before grants, as where they are set.
      const policies = tables(em).selectFrom('policies').select('id').where('id', '=', anyOf(ids));
      await policies.orderBy('id').forUpdate().execute();
      const ended = await removeGrants(em, { ...before, ids });
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
    const isActive = await activeAgents(context, em, accountId);
    const gone = grants.filter((grant) => !isActive(grant));
    const { subject, text } = noticeText(namesOf(gone), namesOf(grants.filter(isActive)));
    const link = `The agents that may act for you: ${context.config.publicUrl}/agents`;
    await storeOwnerNotices(context, em, accountId, { subject, text: `${text}\n\n${link}` });
  }
}

/** An agent as people know it: programs register as a new client with each sign-in, under the same name. */
type Agent = Pick<EndedGrant, 'client_id' | 'client_name'>;

/** Tells the agents of an account that have another grant, which has not ended too. */
async function activeAgents(
  context: Context,
  em: SqlEntityManager,
  accountId: string,
): Promise<(agent: Agent) => boolean> {
  const unusedSince = new Date(context.clock.now().getTime() - UNUSED_DAYS * DAY_MS);
  const active: Agent[] = await tables(em)
    .selectFrom('oauth_grants as g')
    .select(['g.client_id', 'g.client_name'])
    .distinct()
    .where('g.account_id', '=', accountId)
    .where('g.revoked_at', 'is', null)
    .where(({ eb, or, exists, fn, selectFrom }) =>
      or([
        eb(fn.coalesce('g.last_used_at', 'g.created_at'), '>', unusedSince.toISOString()),
        exists(
          selectFrom('oauth_artifacts as a')
            .select('a.id_hash')
            .whereRef('a.grant_id', '=', 'g.id')
            .where('a.kind', '<>', 'Grant'),
        ),
      ]),
    )
    .execute();
  const ids = new Set(active.map((agent) => agent.client_id));
  const names = new Set(active.map((agent) => agent.client_name));
  return (agent) => ids.has(agent.client_id) || names.has(agent.client_name);
}

function namesOf(agents: readonly Agent[]): string[] {
  return [...new Set(agents.map((agent) => `“${agent.client_name}”`))];
}

/**
 * @param gone names of the agents that have no access any more
 * @param active names of those that have another grant
 */
function noticeText(gone: readonly string[], active: readonly string[]): NoticeText {
  const listed = (names: readonly string[]) => names.slice(0, NAMED_MAX).join(', ');
  const paragraphs: string[] = [];
  if (gone.length > 0) {
    paragraphs.push(
      `Nobody has used it for ${UNUSED_DAYS} days: ${listed(gone)}.`,
      'API keys and webhooks that it created have ended with it. It can ask for access again.',
    );
  }
  if (active.length > 0) {
    paragraphs.push(
      `More than one access has been given to ${listed(active)}. One that was not used for ${UNUSED_DAYS} days has ended, with the API keys and webhooks that were created under it. The others go on.`,
    );
  }
  const one = gone.length === 0 ? 'An unused access of an agent has ended' : 'The access of an agent has ended';
  const subject = gone.length > 1 ? `The access of ${gone.length} agents has ended` : one;
  return { subject, text: paragraphs.join('\n\n') };
}
