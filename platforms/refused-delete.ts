/**
 * Classifies a refused delete (docs/contract/posts.md#refused-deletes): a dead access token needs a reconnect,
 * anything else is about the post.
 */
import type { FailureKind } from './failure.ts';
import { isProxyPage, type PlatformAnswer } from './http.ts';

/**
 * @param kind failure kind of the response to a publishing call
 * @param isTokenDead whether the response has an error that the platform documents as a dead token
 */
export function refusedDeleteKind(answer: PlatformAnswer, kind: FailureKind, isTokenDead: boolean): FailureKind {
  // The outcome of a 401 is unknown only if a proxy answered.
  if (isTokenDead || (answer.status === 401 && kind !== 'unknown')) return 'reconnect';
  if (kind === 'reconnect') return 'rejected';
  return kind === 'unknown' && answer.status === 403 && !isProxyPage(answer) ? 'rejected' : kind;
}
