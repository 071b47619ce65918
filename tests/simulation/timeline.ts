/** Rules for the sandbox timeline: no duplicate, no unknown post, and the guarantees of each error. */
import type { PostRow, TimelineRow } from './journal.ts';
import { hold, markerOf, type Replica } from './replica.ts';

/** Errors of a send, and the only directive that may cause each. */
const CAUSES: Readonly<Record<string, string>> = {
  platform_rejected: 'reject',
  platform_unavailable: 'unavailable',
  reconnect_required: 'reconnect',
  outcome_unknown: 'vanish',
};

/** A post with one of these in its text is never known to be published. */
const NEVER_SENT = ['reject', 'unavailable', 'reconnect', 'vanish'];

/** Errors from a call to the platform; other errors mean that the platform was never called. */
const OF_PLATFORM = new Set(Object.keys(CAUSES));

export function checkTimeline(replica: Replica): void {
  const ofSend = Map.groupBy(replica.timeline.values(), (row) => {
    const head = replica.heads.get(row.token);
    hold(head !== undefined, '1 timeline', () => `${row.text} is up and in no ledger`);
    return `${head?.post_id} ${head?.generation}`;
  });
  const marks = new Map<string, number>();
  for (const [send, rows] of ofSend) {
    hold(rows.length === 1, '1 timeline', () => `${rows.length} publications of one send: ${rows[0]?.text}`);
    const mark = `${rows[0]?.account_id} ${markerOf(rows[0]?.text ?? '')}`;
    const most = 1 + replica.forcedOf(send.split(' ')[0] ?? '');
    const count = (marks.get(mark) ?? 0) + 1;
    marks.set(mark, count);
    hold(
      count <= most,
      '1 timeline',
      () => `${rows[0]?.text} is up ${count} times, sent again by force ${most - 1} times`,
    );
  }
  for (const post of replica.posts.values()) {
    if (post.platform_id !== 'sandbox') continue;
    checkPost(replica, post, ofSend.get(`${post.id} ${post.generation}`)?.[0]);
  }
}

function checkPost(replica: Replica, post: PostRow, up: TimelineRow | undefined): void {
  const describe = () =>
    `${replica.nameOf(post)} is ${post.status} (${post.error_code}); on the timeline: ${JSON.stringify(up)}`;
  if (post.status === 'sent' || post.status === 'deleted') {
    hold(up !== undefined && up.id === post.platform_post_id, '1 timeline', describe);
    hold((up?.deleted_at === null) === (post.status === 'sent'), '1 timeline', describe);
    hold(!NEVER_SENT.some((directive) => replica.asks(post, directive)), '1 timeline', describe);
  }
  if (post.status !== 'failed') return;
  const code = post.error_code ?? '';
  const cause = CAUSES[code];
  if (cause !== undefined) {
    const cutOff = replica.connections.get(post.connection_id)?.deleted_at !== null;
    hold(replica.asks(post, cause) || (cutOff && code !== 'platform_rejected'), '1 timeline', describe);
  }
  if (code !== 'outcome_unknown') hold(up === undefined, '1 timeline', describe);
  if (!OF_PLATFORM.has(code)) hold(up === undefined, '1 timeline', describe);
}
