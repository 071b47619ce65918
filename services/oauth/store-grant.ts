/** Writes down what a person has agreed to. From then on requests that name the grant are let through. */
import { OauthGrant } from '../../entities/oauth-grant.ts';
import type { Context } from '../context.ts';
import type { Scope } from '../keys/scopes.ts';

export interface Agreement {
  readonly accountId: string;
  readonly ownerId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectHost: string;
  readonly scopes: readonly Scope[];
  /** The one profile it reaches; null reaches the whole account. */
  readonly profileId: string | null;
  readonly mode: 'live' | 'test';
}

export async function storeGrant(context: Context, id: string, agreement: Agreement): Promise<void> {
  await context.db.em().insert(OauthGrant, {
    id,
    ...agreement,
    scopes: [...agreement.scopes],
    createdAt: context.clock.now(),
    lastUsedAt: null,
    revokedAt: null,
  });
}
