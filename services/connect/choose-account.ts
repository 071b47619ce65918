/** Links the account that the customer has picked from those that the platform granted. */
import type { ConnectSession } from '../../entities/connect-session.ts';
import type { Context } from '../context.ts';
import { offeredPlatforms } from './connectable-platforms.ts';
import { storeFlow, readFlow } from './flow.ts';
import type { Outcome } from './outcome.ts';
import { linkGranted } from './try-credentials.ts';

/** @returns null when the session has no such choice now */
export async function chooseAccount(context: Context, session: ConnectSession, index: number): Promise<Outcome | null> {
  const flow = readFlow(context, session);
  if (flow?.step !== 'choose') return null;
  const account = flow.accounts[index];
  const offered = offeredPlatforms(context, session).find(({ platform }) => platform.id === flow.platformId);
  if (account === undefined || offered === undefined) return null;
  const outcome = await linkGranted(context, session, offered, account);
  if (outcome.kind === 'refused') {
    await storeFlow(context, session, { step: 'refused', platformId: flow.platformId, message: outcome.message });
  }
  return outcome;
}
