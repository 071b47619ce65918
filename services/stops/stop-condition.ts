/** The one place that says which posts a stop is about. */

/** SQL: whether the stop `s` is active and about a post with these columns. */
export function stops(
  s: string,
  {
    account,
    profile,
    creatorKind,
    creator,
  }: Readonly<Record<'account' | 'profile' | 'creatorKind' | 'creator', string>>,
): string {
  return `${s}.account_id = ${account} and ${s}.released_at is null and (${s}.kind = 'account'
    or (${s}.kind = 'profile' and ${s}.target_id = ${profile})
    or (${s}.kind = ${creatorKind} and ${s}.target_id = ${creator}))`;
}

/** SQL: the same for a row of `posts`. */
export function stopsPost(s: string, p: string): string {
  return stops(s, {
    account: `${p}.account_id`,
    profile: `${p}.profile_id`,
    creatorKind: `${p}.created_by_kind`,
    creator: `${p}.created_by_id`,
  });
}
