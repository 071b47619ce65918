/** Operations on the caller's account. */
import { router } from '../procedures.ts';
import { getAccount } from './get-account.ts';
import { updateAccount } from './update-account.ts';

export const accountRouter = router({ get: getAccount, update: updateAccount });
