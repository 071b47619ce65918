/** Operations on policies. */
import { router } from '../procedures.ts';
import { getPolicy } from './get-policy.ts';
import { listPolicies } from './list-policies.ts';
import { removePolicy } from './remove-policy.ts';
import { setPolicy } from './set-policy.ts';
import { tryPolicy } from './try-policy.ts';

export const policiesRouter = router({
  list: listPolicies,
  get: getPolicy,
  set: setPolicy,
  try: tryPolicy,
  remove: removePolicy,
});
