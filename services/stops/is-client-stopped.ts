/** Checks whether an agent is stopped, before a person allows it again. */
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { type ClientOfAccount, stopsOfClient } from './keep-client-stopped.ts';

const findStop = statement('find a stop of a client', {
  parameters: { accountId: 'uuid', clientId: 'text' },
  result: { id: 'uuid' },
  sql: (client) => `select s.id from ${stopsOfClient(client)} limit 1`,
});

/** Whether a grant of the client is stopped, so that a new one will be, too. */
export async function isClientStopped({ db }: Context, { accountId, clientId }: ClientOfAccount): Promise<boolean> {
  return (await findStop(db.queries, { accountId, clientId })).length > 0;
}
