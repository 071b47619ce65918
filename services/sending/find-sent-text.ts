/**
 * Looks for an earlier send of a post before AI polish rewrites its text: the platform shows that send with the text that it had, and
 * a lookup after the rewrite would not find it (docs/contract/posts.md#repeats-and-late-posts).
 */
import { platformOf } from '../../platforms/registry.ts';
import { openSession } from '../connections/open-session.ts';
import { refreshAhead } from '../connections/refresh-ahead.ts';
import type { Context } from '../context.ts';
import type { ClaimedSend } from './claimed-send.ts';
import { earlierSends, searchEarlier } from './earlier-sends.ts';
import { partsOf } from './post-parts.ts';
import { ABSENT, type Absent, type AcceptedPart, isSearchable, type Unseen } from './send-part.ts';

/**
 * Whether the text of a post may be on its platform: the head of an earlier send, if it is there, or why that is not
 * known.
 */
export type SentText = AcceptedPart | Absent | Unseen;

/** Never throws because of a platform; throws database errors. */
export async function findSentText(context: Context, { post, connection }: ClaimedSend): Promise<SentText> {
  const [part] = partsOf(post);
  const earlier = part === undefined ? [] : await earlierSends(context, post, part);
  if (part === undefined || earlier.length === 0) return ABSENT;
  const platform = platformOf(context.platforms, post.platformId);
  let opened;
  try {
    opened = openSession(context, platform, connection);
  } catch {
    // Nothing goes out with this credential.
    return { state: 'unseen', why: 'reconnect' };
  }
  const account = { platform, session: await refreshAhead(context, platform, opened) };
  // There, a post whose answer was lost is sent again only if a caller forces it.
  if (!isSearchable(account)) return ABSENT;
  const of = { postId: post.id, connectionId: connection.id };
  return searchEarlier(context, { ...account, part, of }, earlier);
}
