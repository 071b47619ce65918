/** Deletes expired codes and tokens, grants that can no longer be used, and clients that no one agreed to. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { endMadeBy } from '../keys/end-made-by.ts';
import { tidySigningKeys } from './signing-keys.ts';

/** How long a grant is kept after its revocation or its last use, once nothing can use it. */
const GRANT_MS = 30 * 86_400_000;

const ENDED_ARTIFACTS = `delete from oauth_artifacts where kind not in ('Client', 'Grant') and expires_at <= $1`;

// The grant record of oidc-provider does not expire; it is deleted when no refresh token is left.
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

/** The keys and webhooks under a grant end with it, even when the grant ends because it was unused. */
async function removeEndedGrants(context: Context, now: Date): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const ended = await query<{ id: string }>(em, ENDED_GRANTS, [new Date(now.getTime() - GRANT_MS)]);
    const grantIds = ended.map(({ id }) => id);
    await query(em, 'delete from oauth_artifacts where grant_id = any($1::uuid[])', [grantIds]);
    await endMadeBy(em, { keyIds: [], grantIds }, now);
  });
}
