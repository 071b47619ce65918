/**
 * Ends a grant for good. Every request of an agent looks its grant up, so its access tokens end with it at once, and
 * its refresh tokens are gone. Revoking twice is revoking once.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { OauthArtifact } from '../../entities/oauth-artifact.ts';
import { OauthGrant } from '../../entities/oauth-grant.ts';
import type { Context } from '../context.ts';

/** @param ownerId who must have given the grant; left out where the client itself gives it back */
export async function revokeGrant(context: Context, grantId: string, ownerId?: string): Promise<void> {
  const where = { id: grantId, ...(ownerId === undefined ? {} : { ownerId }) };
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const revoked = await em.nativeUpdate(
      OauthGrant,
      { ...where, revokedAt: null },
      { revokedAt: context.clock.now() },
    );
    if (revoked > 0) await em.nativeDelete(OauthArtifact, { grantId });
  });
}
