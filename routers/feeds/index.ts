/** Operations on RSS and Atom feeds. */
import { router } from '../procedures.ts';
import { createFeed } from './create-feed.ts';
import { deleteFeed } from './delete-feed.ts';
import { getFeed } from './get-feed.ts';
import { listFeeds } from './list-feeds.ts';
import { pollFeed } from './poll-feed.ts';
import { previewFeed } from './preview-feed.ts';
import { updateFeed } from './update-feed.ts';

export const feedsRouter = router({
  create: createFeed,
  preview: previewFeed,
  list: listFeeds,
  get: getFeed,
  update: updateFeed,
  poll: pollFeed,
  delete: deleteFeed,
});
