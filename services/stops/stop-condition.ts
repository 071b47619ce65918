/** The one place that says which posts a stop is about. */

/** SQL: whether the stop `s` is active and about a post with these columns. */
export function stops(
  s: string,
  { account, profile, creator }: Readonly<Record<'account' | 'profile' | 'creator', string>>,
): string {
  return `${isActive(s, account)} and (${s}.kind = 'account'
    or (${s}.kind = 'profile' and ${s}.target_id = ${profile}) or ${stopsKeyOrGrant(s, creator)})`;
}

/** SQL: whether the stop `s` is active and about a caller: a key, an agent, or one above it. */
export function stopsCaller(s: string, { account, caller }: Readonly<Record<'account' | 'caller', string>>): string {
  return `${isActive(s, account)} and ${stopsKeyOrGrant(s, caller)}`;
}

function isActive(s: string, account: string): string {
  return `${s}.account_id = ${account} and ${s}.released_at is null`;
}

function stopsKeyOrGrant(s: string, creator: string): string {
  return `(${s}.kind in ('key', 'grant') and ${s}.target_id in (${creatorAndAbove(creator)}))`;
}

/**
 * SQL: ids of the creator of a post, of the keys under which it was created in turn, and of the grant at the top if there is one. It is
 * read at each check, so a stop is also about keys that are created after it, and only for stops of keys and grants: most accounts have
 * none. Each step is a subquery of one value, because PostgreSQL would join all keys with the ten that it expects.
 */
function creatorAndAbove(creator: string): string {
  return `
    with recursive above as (
      select ${creator} as id
      union
      select (select coalesce(k.created_by_key_id, k.grant_id) from api_keys k where k.id = a.id) from above a
      where a.id is not null
    )
    select id from above`;
}

/** SQL: the same for a row of `posts`. */
export function stopsPost(s: string, p: string): string {
  return stopsPostOf(s, p, `${p}.created_by_id`);
}

/** SQL: the same when a caller sends it, who may be another key or agent than the one that created it. */
export function stopsPostBy(s: string, p: string, caller: string): string {
  return stopsPostOf(s, p, `unnest(array[${p}.created_by_id, ${caller}])`);
}

function stopsPostOf(s: string, p: string, creator: string): string {
  return stops(s, { account: `${p}.account_id`, profile: `${p}.profile_id`, creator });
}
