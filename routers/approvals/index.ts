/** Operations on requests for approval. */
import { router } from '../procedures.ts';
import { approvePost } from './approve-post.ts';
import { listApprovals } from './list-approvals.ts';
import { rejectPost } from './reject-post.ts';

export const approvalsRouter = router({
  list: listApprovals,
  approve: approvePost,
  reject: rejectPost,
});
