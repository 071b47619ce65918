/** What reports a disabled feed: the event feed.disabled, and an email to the owners. */
import type { FeedDisabledReason } from '../../entities/feed.ts';
import type { Context } from '../context.ts';
import type { NewEvent } from '../events/store-events.ts';
import type { NoticeText } from '../notices/store-owner-notices.ts';
import { timestamp } from '../timestamp.ts';
import type { ClaimedFeed } from './claim-feeds.ts';

/** Why a worker disables a feed; only people and programs give `requested`. */
export type WorkerReason = Exclude<FeedDisabledReason, 'requested'>;

export interface Disabling {
  readonly at: Date;
  readonly reason: WorkerReason;
  /** In a sentence. */
  readonly why: string;
}

/** Builds the event, which only webhooks that name it receive. Its mode and profile are those of the key that added the feed. */
export function disabledFeedEvent(context: Context, feed: ClaimedFeed, { at, reason, why }: Disabling): NewEvent {
  const { id, account_id: accountId, profile_id: profileId, mode, url } = feed;
  const { host } = new URL(url);
  return {
    id: context.random.uuid(),
    accountId,
    profileId,
    name: 'feed.disabled',
    mode,
    subjectId: id,
    payload: { feed: { id, host, disabledAt: timestamp(at), disabledReason: reason, error: why, profileId } },
    createdAt: at,
  };
}

/** Builds the email. */
export function disabledFeedNotice({ config }: Context, { id, url }: ClaimedFeed, { why }: Disabling): NoticeText {
  const { host } = new URL(url);
  return {
    subject: `A feed of ${host} was disabled`,
    text: [
      `Carillon does not poll the feed ${id} at ${host} any more. ${why}`,
      `When it works again, enable it: ${config.publicUrl}/files/feeds?feed=${id}`,
      `Programs enable it with PATCH ${config.publicUrl}/api/v2/feeds/${id} and {"enabled": true}.`,
    ].join('\n\n'),
  };
}
