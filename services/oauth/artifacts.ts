/** Stores the artifacts of the authorization server. An id may be a secret, so only its hash is stored. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { OauthArtifact } from '../../entities/oauth-artifact.ts';
import { tables } from '../../entities/tables.ts';
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

export async function putArtifact(
  context: Context,
  kind: string,
  id: string,
  { payload, grantId, expiresAt }: Artifact,
  em: SqlEntityManager = context.db.em(),
): Promise<void> {
  await tables(em)
    .insertInto('oauth_artifacts')
    .values({
      id_hash: hashOf(kind, id),
      kind,
      payload: JSON.stringify(payload),
      grant_id: grantId,
      expires_at: expiresAt,
    })
    .onConflict((conflict) =>
      conflict.column('id_hash').doUpdateSet(({ fn, ref }) => ({
        payload: ref('excluded.payload'),
        // Keeps the grant that the artifact was claimed for.
        grant_id: fn.coalesce('excluded.grant_id', 'oauth_artifacts.grant_id'),
        expires_at: ref('excluded.expires_at'),
      })),
    )
    .execute();
}

/** Also returns expired artifacts that are not deleted yet; check `expiresAt`. */
export async function findArtifact(
  context: Context,
  kind: string,
  id: string,
  em: SqlEntityManager = context.db.em(),
): Promise<OauthArtifact | null> {
  return em.findOne(OauthArtifact, { idHash: hashOf(kind, id) });
}

/** @returns whether this call consumed it */
export async function consumeArtifact(
  context: Context,
  kind: string,
  id: string,
  em: SqlEntityManager = context.db.em(),
): Promise<boolean> {
  const unused = { idHash: hashOf(kind, id), consumedAt: null };
  return (await em.nativeUpdate(OauthArtifact, unused, { consumedAt: context.clock.now() })) > 0;
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
  const row = await tables(context.db.queries)
    .updateTable('oauth_artifacts')
    .set(({ fn, val }) => ({ grant_id: fn.coalesce('grant_id', val(grantId)) }))
    .where('id_hash', '=', hashOf(kind, id))
    .returning('grant_id')
    .executeTakeFirst();
  return row?.grant_id ?? null;
}

export async function removeArtifact(context: Context, kind: string, id: string): Promise<void> {
  await context.db.em().nativeDelete(OauthArtifact, { idHash: hashOf(kind, id) });
}
