/**
 * Consumes the code or refresh token that a client presents, and stores the refresh token that is issued for it. Both happen
 * in one transaction: a client that gets no answer can present what it has again, also when that was not a short time ago.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { OauthArtifact } from '../../entities/oauth-artifact.ts';
import type { Context } from '../context.ts';
import { type Artifact, consumeArtifact, findArtifact, putArtifact } from './artifacts.ts';

export interface Presented {
  readonly kind: string;
  readonly id: string;
  /** Whether one that is consumed may be presented once more. */
  readonly mayRepeat: (consumed: OauthArtifact) => boolean;
}

interface Successor {
  readonly id: string;
  readonly artifact: Artifact;
}

/** @returns whether the refresh token was stored; not when what was presented is used up or gone */
export async function storeSuccessor(
  context: Context,
  presented: Presented,
  { id, artifact }: Successor,
): Promise<boolean> {
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    if (!(await consume(context, presented, em))) return false;
    await putArtifact(context, 'RefreshToken', id, artifact, em);
    return true;
  });
}

/** @returns whether this call consumed it, or may repeat the call that did */
export async function consume(
  context: Context,
  { kind, id, mayRepeat }: Presented,
  em: SqlEntityManager = context.db.em(),
): Promise<boolean> {
  if (await consumeArtifact(context, kind, id, em)) return true;
  const found = await findArtifact(context, kind, id, em);
  return found !== null && mayRepeat(found);
}
