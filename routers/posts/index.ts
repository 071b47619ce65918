/** Operations on posts. */
import { router } from '../trpc.ts';
import { createPost } from './create-post.ts';
import { deletePost } from './delete-post.ts';
import { getMetrics } from './get-metrics.ts';
import { getPost } from './get-post.ts';
import { listAttempts } from './list-attempts.ts';
import { listPosts } from './list-posts.ts';
import { createSimplePost } from './create-simple-post.ts';
import { publishDraft } from './publish-draft.ts';
import { reschedulePost } from './reschedule-post.ts';
import { retryPost } from './retry-post.ts';
import { updateDraft } from './update-draft.ts';
import { validatePost } from './validate-post.ts';

export const postsRouter = router({
  create: createPost,
  validate: validatePost,
  createSimple: createSimplePost,
  list: listPosts,
  get: getPost,
  update: updateDraft,
  publish: publishDraft,
  retry: retryPost,
  reschedule: reschedulePost,
  delete: deletePost,
  attempts: listAttempts,
  metrics: getMetrics,
});
