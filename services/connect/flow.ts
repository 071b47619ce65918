/** Stores the progress of a customer between two requests, encrypted, in the session. */
import type { ConnectSession } from '../../entities/connect-session.ts';
import { ConnectSession as Sessions } from '../../entities/connect-session.ts';
import type { JsonObject } from '../../platforms/contract.ts';
import type { OauthAccount } from '../../platforms/connect.ts';
import type { Context } from '../context.ts';

export type Flow =
  /** The customer is at the platform's authorization page. */
  | {
      readonly step: 'away';
      readonly platformId: string;
      readonly state: string;
      readonly verifier: string;
      readonly memo: JsonObject;
    }
  /** The platform has granted several accounts. */
  | {
      readonly step: 'choose';
      readonly platformId: string;
      readonly accounts: readonly OauthAccount<unknown>[];
    }
  /** The platform has refused, for a reason that the customer has not seen yet. */
  | { readonly step: 'refused'; readonly platformId: string; readonly message: string };

/** Null when there is none, or when it can no longer be decrypted; the customer then starts again. */
export function readFlow(context: Context, { id, flow }: Pick<ConnectSession, 'id' | 'flow'>): Flow | null {
  if (flow === null || flow === undefined) return null;
  try {
    return context.vault.open(flow, id) as Flow;
  } catch {
    return null;
  }
}

/** Replaces the flow of a session that is still open. */
export async function storeFlow(context: Context, session: Pick<ConnectSession, 'id'>, flow: Flow): Promise<void> {
  const sealed = context.vault.seal(flow, session.id);
  const changes = { flow: sealed, ...(flow.step === 'refused' && { refused: true }) };
  await context.db.em().nativeUpdate(Sessions, { id: session.id, status: 'pending' }, changes);
}

/** Removes the flow, for one request only: of two with the same answer, one gets false. */
export async function takeFlow(context: Context, { id, flow }: Pick<ConnectSession, 'id' | 'flow'>): Promise<boolean> {
  const taken = await context.db.em().nativeUpdate(Sessions, { id, flow, status: 'pending' }, { flow: null });
  return taken === 1;
}
