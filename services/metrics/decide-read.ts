/** Decides whether the metrics of a claimed post are read now, later, or not any more. */
import type { AnyPlatform, PostMetrics } from '../../platforms/contract.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { readFeeOf } from '../plans/fees.ts';
import { PLANS } from '../plans/plans.ts';
import type { ClaimedRead } from './claim-reads.ts';
import { nextReadAt, readAfterPause } from './read-times.ts';

/** A post that is to be read now. */
export interface DueRead {
  readonly kind: 'read';
  readonly post: ClaimedRead;
  readonly platform: AnyPlatform;
  readonly sentAt: Date;
  readonly platformPostId: string;
  readonly previous: PostMetrics;
  /**
   * Fee that the account is charged, in cents; 0 when the read is free or the day's fee for the post is already paid.
   */
  readonly feeCents: number;
}

/** A post that is not read now. */
interface NotRead {
  readonly kind: 'later';
  readonly post: ClaimedRead;
  /** Null when the post is not read any more. */
  readonly nextAt: Date | null;
}

export function decideRead(context: Context, post: ClaimedRead, now: Date): DueRead | NotRead {
  const platform = platformOf(context.platforms, post.platform_id);
  const { platform_post_id: platformPostId, sent_at: sent } = post;
  const isOver = post.disconnected || post.status !== 'sent' || platform.metricsBatch === undefined;
  if (isOver || platformPostId === null || sent === null) return { kind: 'later', post, nextAt: null };
  const sentAt = new Date(sent);
  const { shared } = platform.metricsBatch;
  const isCharged = platform.fees !== undefined;
  // Skips calls that are sure to be refused and charged calls that the account has not enabled; the schedule goes on.
  if ((isCharged && !post.x_analytics) || (!shared && post.needs_reconnect)) {
    return { kind: 'later', post, nextAt: nextReadAt(sentAt, now) };
  }
  const pause = shared ? post.shared_pause : post.own_pause;
  if (pause !== null && new Date(pause) > now) {
    return { kind: 'later', post, nextAt: readAfterPause(sentAt, new Date(pause)) };
  }
  const feeCents = feeOf(context, platform, post);
  return { kind: 'read', post, platform, sentAt, platformPostId, previous: previousOf(post), feeCents };
}

function previousOf({ impressions, likes, reposts, replies, clicks }: ClaimedRead): PostMetrics {
  const reported = Object.entries({ impressions, likes, reposts, replies, clicks }).filter(
    ([, value]) => value !== null,
  );
  return Object.fromEntries(reported);
}

/** Platforms that charge do so once for all reads of a post in a UTC day; so does the account's usage ledger. */
function feeOf(context: Context, { id }: AnyPlatform, post: ClaimedRead): number {
  return PLANS[post.plan].fees && !post.is_paid ? readFeeOf(context, id) : 0;
}
