/** Stores the artifacts of the authorization server. An id may be a secret, so only its hash is stored. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { OauthArtifact } from '../../entities/oauth-artifact.ts';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { hashSecret } from '../secrets.ts';

export interface Artifact {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly grantId: string | null;
  /** Null for an artifact that does not expire. */
  readonly expiresAt: Date | null;
}

function hashOf(kind: string, id: string): string {
  return hashSecret(`${kind}:${id}`);
}

// Keeps the grant that an artifact was claimed for when the artifact is written again.
const PUT = `
  insert into oauth_artifacts (id_hash, kind, payload, grant_id, expires_at) values ($1, $2, $3::jsonb, $4, $5)
  on conflict (id_hash) do update set payload = excluded.payload,
    grant_id = coalesce(excluded.grant_id, oauth_artifacts.grant_id), expires_at = excluded.expires_at`;

export async function putArtifact(
  context: Context,
  kind: string,
  id: string,
  { payload, grantId, expiresAt }: Artifact,
  em: SqlEntityManager = context.db.em(),
): Promise<void> {
  await query(em, PUT, [hashOf(kind, id), kind, JSON.stringify(payload), grantId, expiresAt]);
}

/** Also returns expired artifacts that are not deleted yet; check `expiresAt`. */
export async function findArtifact(context: Context, kind: string, id: string): Promise<OauthArtifact | null> {
  return context.db.em().findOne(OauthArtifact, { idHash: hashOf(kind, id) });
}

/** @returns whether this call consumed it */
export async function consumeArtifact(context: Context, kind: string, id: string): Promise<boolean> {
  const sql = 'update oauth_artifacts set consumed_at = $2 where id_hash = $1 and consumed_at is null returning kind';
  return (await query(context.db.em(), sql, [hashOf(kind, id), context.clock.now()])).length > 0;
}

/**
 * Claims a request for the grant that results from it. Of several callers, the first one decides the grant.
 *
 * @returns id of that grant; null when the request is gone
 */
export async function claimForGrant(
  context: Context,
  kind: string,
  id: string,
  grantId: string,
): Promise<string | null> {
  const sql = `
    update oauth_artifacts set grant_id = coalesce(grant_id, $2) where id_hash = $1 returning grant_id`;
  const [row] = await query<{ grant_id: string }>(context.db.em(), sql, [hashOf(kind, id), grantId]);
  return row?.grant_id ?? null;
}

export async function removeArtifact(context: Context, kind: string, id: string): Promise<void> {
  await context.db.em().nativeDelete(OauthArtifact, { idHash: hashOf(kind, id) });
}
