/** Checks whether an agent is stopped, before a person allows it again. */
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import type { ClientOfAccount } from './keep-client-stopped.ts';

/** Whether a grant of the client is stopped, so that a new one will be, too. */
export async function isClientStopped({ db }: Context, { accountId, clientId }: ClientOfAccount): Promise<boolean> {
  const stop = await tables(db.queries)
    .selectFrom('stops as s')
    .innerJoin('oauth_grants as g', 'g.id', 's.target_id')
    .select('s.id')
    .where('s.account_id', '=', accountId)
    .where('s.kind', '=', 'grant')
    .where('s.released_at', 'is', null)
    .where('g.account_id', '=', accountId)
    .where('g.client_id', '=', clientId)
    .limit(1)
    .executeTakeFirst();
  return stop !== undefined;
}
