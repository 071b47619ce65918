/** Rules for the imitated platforms: no duplicate, no unknown post, and the guarantees of each error. */
import type { PostRow } from './journal.ts';
import { hold, markerOf, onPlatform, type Replica } from './replica.ts';

const INVARIANT = '1 timeline';

/** Errors of a send that was interrupted, or whose call was lost. Nothing else goes wrong on these platforms. */
const OF_DISTURBED: readonly string[] = ['platform_unavailable', 'outcome_unknown'];

/** Errors from a call to the platform, or about its outcome. */
const OF_PLATFORM: readonly string[] = [...OF_DISTURBED, 'platform_rejected', 'reconnect_required', 'rate_limited'];

/** @param published how often each post is on its platform */
export function checkPublished(replica: Replica, published: ReadonlyMap<string, number>): void {
  const known = new Set<string>();
  for (const post of replica.posts.values()) {
    if (post.platform_id === 'sandbox') continue;
    const name = onPlatform(post.platform_id, markerOf(post.text));
    known.add(name);
    checkPost(replica, post, published.get(name) ?? 0);
  }
  for (const [name, count] of published) {
    const isKnown = known.has(name) || count <= replica.leftBehind(name);
    hold(isKnown, INVARIANT, () => `${name} is up, and no post says so`);
  }
}

function checkPost(replica: Replica, post: PostRow, count: number): void {
  const forced = replica.forcedOf(post.id);
  const describe = () =>
    `${replica.nameOf(post)} is ${post.status} (${post.error_code}), and ${count} times on ${post.platform_id}; ${forced} times sent again by force`;
  const { least, most } = expectedCount(post);
  hold(count >= least && count <= most + forced, INVARIANT, describe);
  const code = post.error_code ?? '';
  if (post.status !== 'failed' || !OF_PLATFORM.includes(code)) return;
  const isCutOff = replica.connections.get(post.connection_id)?.deleted_at !== null;
  const isAllowed = OF_DISTURBED.includes(code) && replica.isDisturbed(post);
  hold(isAllowed || (isCutOff && code !== 'platform_rejected'), INVARIANT, describe);
}

/** Copies besides those of earlier sends whose outcome was unknown. */
function expectedCount({ status, error_code: code }: PostRow): { readonly least: number; readonly most: number } {
  if (status === 'sent') return { least: 1, most: 1 };
  return { least: 0, most: status === 'processing' || code === 'outcome_unknown' ? 1 : 0 };
}
