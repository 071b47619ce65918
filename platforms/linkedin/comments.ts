/**
 * Creates and deletes first comments. LinkedIn may not know a new post yet, and a comment is deleted before its
 * post.
 */
import { PlatformFailure, type PlatformIo, type Published, type SendPart, type Session } from '../contract.ts';
import { isProxyPage, type PlatformAnswer } from '../http.ts';
import { failure, isGone, isOk, reasonOf, requireDeleted } from './api.ts';
import { callLoggedIn, type LinkedInCredential } from './credential.ts';

/** Wait before a retry when LinkedIn does not yet know the post to comment on. */
const SPREAD_MS = 2_000;

/** LinkedIn's error for a post that it does not know yet. */
const NOT_SPREAD = /unable to obtain activity/i;

/**
 * Comments on the root of a part. The text is sent unescaped: comments do not use little text.
 *
 * @throws PlatformFailure
 * @see https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api
 */
export async function makeComment(
  session: Session<LinkedInCredential>,
  part: SendPart,
  io: PlatformIo,
): Promise<Published> {
  if (part.root === undefined) throw new Error('a comment has a post to be under');
  const on = part.root.platformPostId;
  const json = { actor: session.platformAccountId, object: on, message: { text: part.text.toWellFormed() } };
  const make = () => callLoggedIn(session, io, commentsOf(on), { method: 'POST', json });
  let answer = await make();
  if (isNotSpread(answer)) {
    const refusal = failure(answer);
    // No call is in flight during the wait, so the refusal is the outcome of a send that ends here.
    await io.sleep(SPREAD_MS, io.signal).catch(() => {
      throw refusal;
    });
    answer = await make();
  }
  if (!isOk(answer)) throw failure(answer);
  const id = answer.headers.get('x-restli-id');
  if (id !== null && id !== '') return { platformPostId: id, url: null, ref: { on } };
  throw new PlatformFailure('unknown', 'LinkedIn answered without the comment it made.');
}

/** A comment that is already gone, also with its post, counts as deleted. */
export async function removeComment(
  session: Session<LinkedInCredential>,
  { platformPostId, ref }: Published,
  io: PlatformIo,
): Promise<void> {
  const on = String(ref?.['on'] ?? '');
  const actor = encodeURIComponent(session.platformAccountId);
  const path = `${commentsOf(on)}/${encodeURIComponent(platformPostId)}?actor=${actor}`;
  const answer = await callLoggedIn(session, io, path, { method: 'DELETE', restli: 'DELETE' });
  requireDeleted(answer, isGone(answer));
}

function commentsOf(postUrn: string): string {
  return `/rest/socialActions/${encodeURIComponent(postUrn)}/comments`;
}

/** The comment was refused, so nothing was published and the call can be repeated. */
function isNotSpread(answer: PlatformAnswer): boolean {
  if (isProxyPage(answer)) return false;
  return answer.status === 404 || (answer.status >= 400 && answer.status < 500 && NOT_SPREAD.test(reasonOf(answer)));
}
