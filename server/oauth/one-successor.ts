/**
 * A refresh token has exactly one successor. The successor's id is derived from the id of the token it replaces, so
 * that repeated requests, in any process, receive the same one
 * (docs/decisions/0063-limit-unknown-clients-at-the-authorization-server.md).
 */
import type { Context } from '../../services/context.ts';
import { type Provider, providerLibrary } from './provider-library.ts';

/** What the types of oidc-provider omit: how a model creates its id. */
interface MakesIds {
  generateTokenId(): string;
}

export function giveOneSuccessor(context: Context, provider: Provider): void {
  const prototype = provider.RefreshToken.prototype as unknown as MakesIds;
  const random = prototype.generateTokenId;
  prototype.generateTokenId = function generateTokenId(this: MakesIds): string {
    const replaced = providerLibrary().Provider.ctx?.oidc.entities.RotatedRefreshToken?.jti;
    if (replaced === undefined) return random.call(this);
    return context.signer.sign('refreshToken', replaced);
  };
}
