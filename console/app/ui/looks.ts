/** How a post looks on each platform: what a preview needs beyond the facts that the service gives. */

/** feed: a card in a timeline. photo: the image comes first. chat: a bubble. mail: a subject and a body. */
export type Layout = 'feed' | 'photo' | 'chat' | 'mail';

export interface Look {
  readonly layout: Layout;
  /** What stands below a post there. */
  readonly actions: readonly string[];
  /** Characters after which the platform folds the text away. */
  readonly foldsAfter?: number;
  /** Whether the first line is a title. */
  readonly hasTitle?: true;
}

const LOOKS: Readonly<Record<string, Look>> = {
  x: { layout: 'feed', actions: ['Reply', 'Repost', 'Like', 'Views'] },
  bluesky: { layout: 'feed', actions: ['Reply', 'Repost', 'Like'] },
  mastodon: { layout: 'feed', actions: ['Reply', 'Boost', 'Favourite'] },
  threads: { layout: 'feed', actions: ['Like', 'Reply', 'Repost', 'Share'] },
  linkedin: { layout: 'feed', actions: ['Like', 'Comment', 'Repost', 'Send'], foldsAfter: 210 },
  facebook: { layout: 'feed', actions: ['Like', 'Comment', 'Share'], foldsAfter: 477 },
  instagram: { layout: 'photo', actions: ['Like', 'Comment', 'Share'], foldsAfter: 125 },
  reddit: { layout: 'feed', actions: ['Vote', 'Comments', 'Share'], hasTitle: true },
  telegram: { layout: 'chat', actions: [] },
  discord: { layout: 'chat', actions: [] },
  slack: { layout: 'chat', actions: [] },
  sms: { layout: 'chat', actions: [] },
  email: { layout: 'mail', actions: [], hasTitle: true },
};

const PLAIN: Look = { layout: 'feed', actions: [] };

export function lookOf(platformId: string): Look {
  return LOOKS[platformId] ?? PLAIN;
}
