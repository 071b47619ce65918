/** Removes codes and tokens that have ended, grants that nothing can use any more, and clients that nobody agreed to. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { endMadeBy } from '../keys/end-made-by.ts';
import { tidySigningKeys } from './signing-keys.ts';

/** How long a grant is kept that is revoked, or that nothing can use any more. */
const GRANT_MS = 30 * 86_400_000;

const ENDED_ARTIFACTS = `delete from oauth_artifacts where kind not in ('Client', 'Grant') and expires_at <= $1`;

// What oidc-provider keeps of a grant has no end of its own; it goes when no refresh token is left.
const ENDED_GRANTS = `
  delete from oauth_grants g where coalesce(g.revoked_at, g.last_used_at, g.created_at) <= $1
    and not exists (select 1 from oauth_artifacts a where a.grant_id = g.id and a.kind <> 'Grant')
  returning g.id`;

const UNUSED_CLIENTS = `
  delete from oauth_artifacts a where a.kind = 'Client' and a.expires_at <= $1
    and not exists (select 1 from oauth_grants g where g.client_id = a.payload->>'client_id')`;

export async function tidyOauth(context: Context): Promise<void> {
  const now = context.clock.now();
  await query(context.db.em(), ENDED_ARTIFACTS, [now]);
  await removeEndedGrants(context, now);
  await query(context.db.em(), UNUSED_CLIENTS, [now]);
  await tidySigningKeys(context);
}

/** What was made under a grant ends with it, also when it ends because nothing has used it for so long. */
async function removeEndedGrants(context: Context, now: Date): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const ended = await query<{ id: string }>(em, ENDED_GRANTS, [new Date(now.getTime() - GRANT_MS)]);
    const grantIds = ended.map(({ id }) => id);
    await query(em, 'delete from oauth_artifacts where grant_id = any($1::uuid[])', [grantIds]);
    await endMadeBy(em, { keyIds: [], grantIds }, now);
  });
}
