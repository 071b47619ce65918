/** Operations on posts. */
import { router } from '../procedures.ts';
import { createPost } from './create-post.ts';
import { deletePost } from './delete-post.ts';
import { getMetrics } from './get-metrics.ts';
import { getPost } from './get-post.ts';
import { listAttempts } from './list-attempts.ts';
import { listCalendar } from './list-calendar.ts';
import { listEvents } from './list-events.ts';
import { listPosts } from './list-posts.ts';
import { createSimplePost } from './create-simple-post.ts';
import { publishDraft } from './publish-draft.ts';
import { reschedulePost } from './reschedule-post.ts';
import { retryPost } from './retry-post.ts';
import { rewriteText } from './rewrite-text.ts';
import { setTags } from './set-tags.ts';
import { updateDraft } from './update-draft.ts';
import { validatePost } from './validate-post.ts';

export const postsRouter = router({
  create: createPost,
  validate: validatePost,
  rewrite: rewriteText,
  createSimple: createSimplePost,
  list: listPosts,
  calendar: listCalendar,
  get: getPost,
  update: updateDraft,
  setTags,
  publish: publishDraft,
  retry: retryPost,
  reschedule: reschedulePost,
  delete: deletePost,
  attempts: listAttempts,
  events: listEvents,
  metrics: getMetrics,
});
