/** What the refusal of a delete means (docs/contract/posts.md#refused-deletes): a dead access token asks for a new connection, anything else is about the post. */
import type { FailureKind } from './failure.ts';
import { isWebPage, type PlatformAnswer } from './http.ts';

/**
 * @param kind what the answer would mean to a call that publishes
 * @param isTokenDead whether the answer carries an error that the platform documents as a dead token
 */
export function refusedDeleteKind(answer: PlatformAnswer, kind: FailureKind, isTokenDead: boolean): FailureKind {
  const isOfPlatform = !isWebPage(answer);
  if (isTokenDead || (answer.status === 401 && isOfPlatform)) return 'reconnect';
  if (kind === 'reconnect') return 'rejected';
  return kind === 'unknown' && answer.status === 403 && isOfPlatform ? 'rejected' : kind;
}
