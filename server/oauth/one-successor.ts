/**
 * A refresh token has one successor, whoever asks and how often: its id is derived from the id of the token it replaces, so
 * that requests that repeat each other, in any process, are given the same one (decision 0069).
 */
import type { Context } from '../../services/context.ts';
import { Provider } from './provider-library.ts';

/** What oidc-provider's types leave out: how a model makes its id. */
interface MakesIds {
  generateTokenId(): string;
}

export function giveOneSuccessor(context: Context, provider: Provider): void {
  const prototype = provider.RefreshToken.prototype as unknown as MakesIds;
  const random = prototype.generateTokenId;
  prototype.generateTokenId = function generateTokenId(this: MakesIds): string {
    const replaced = Provider.ctx?.oidc.entities.RotatedRefreshToken?.jti;
    if (replaced === undefined) return random.call(this);
    return context.signer.sign('refreshToken', replaced);
  };
}
