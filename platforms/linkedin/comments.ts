/** First comments: made under a post that LinkedIn may not have told itself of yet, and taken down before it. */
import { PlatformFailure, type PlatformIo, type Published, type SendPart, type Session } from '../contract.ts';
import type { PlatformAnswer } from '../http.ts';
import { deleteFailure, failure, isOk, reasonOf } from './api.ts';
import { callLoggedIn, type LinkedInLogin } from './session.ts';

/** Wait for a post that comments cannot be made under yet. */
const SPREAD_MS = 2_000;

/** How LinkedIn says that it does not know the post yet. */
const NOT_SPREAD = /unable to obtain activity/i;

/**
 * Comments under the root of a part. The text goes as it is: comments are no little text.
 *
 * @throws PlatformFailure
 * @see https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api
 */
export async function makeComment(session: Session<LinkedInLogin>, part: SendPart, io: PlatformIo): Promise<Published> {
  if (part.root === undefined) throw new Error('a comment has a post to be under');
  const on = part.root.platformPostId;
  const json = { actor: session.platformAccountId, object: on, message: { text: part.text.toWellFormed() } };
  const make = () => callLoggedIn(session, io, commentsOf(on), { method: 'POST', json });
  let answer = await make();
  if (isNotSpread(answer)) {
    await io.sleep(SPREAD_MS, io.signal);
    answer = await make();
  }
  if (!isOk(answer)) throw failure(answer);
  const id = answer.headers.get('x-restli-id');
  if (id !== null && id !== '') return { platformPostId: id, url: null, ref: { on } };
  throw new PlatformFailure('unknown', 'LinkedIn answered without the comment it made.');
}

/** What is already gone counts as taken down, with its post too. */
export async function removeComment(
  session: Session<LinkedInLogin>,
  { platformPostId, ref }: Published,
  io: PlatformIo,
): Promise<void> {
  const on = String(ref?.['on'] ?? '');
  const actor = encodeURIComponent(session.platformAccountId);
  const path = `${commentsOf(on)}/${encodeURIComponent(platformPostId)}?actor=${actor}`;
  const answer = await callLoggedIn(session, io, path, { method: 'DELETE', restli: 'DELETE' });
  if (!isOk(answer) && answer.status !== 404) throw deleteFailure(answer);
}

function commentsOf(postUrn: string): string {
  return `/rest/socialActions/${encodeURIComponent(postUrn)}/comments`;
}

/** Refused, so nothing is up: it can be made again. */
function isNotSpread(answer: PlatformAnswer): boolean {
  return answer.status === 404 || (answer.status >= 400 && answer.status < 500 && NOT_SPREAD.test(reasonOf(answer)));
}
