/** Checks whether a client posts in live mode without asking first, by the last answer of the people of an account. */
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';

// Grants that cannot post are left out, because no person was asked about approval. A revoked one still counts for as long as it is
// kept: a person who revoked it did not keep the answer.
const findNewest = statement('find the newest grant with which a client can post', {
  parameters: { accountId: 'uuid', clientId: 'text' },
  result: { posts_freely: 'boolean' },
  sql: ({ accountId, clientId }) => `
    select approval = 'none' and revoked_at is null posts_freely from oauth_grants
    where account_id = ${accountId} and client_id = ${clientId} and mode = 'live' and 'posts:write' = any(scopes)
    order by id desc limit 1`,
});

export async function postsWithoutAsking(
  { db }: Context,
  { accountId, clientId }: Readonly<Record<'accountId' | 'clientId', string>>,
): Promise<boolean> {
  const [newest] = await findNewest(db.queries, { accountId, clientId });
  return newest?.posts_freely === true;
}
