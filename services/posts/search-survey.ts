/**
 * Surveys where the words of a search are, before its older posts are read: everywhere at once if few posts have them, or from
 * where they are frequent on (docs/decisions/0130-survey-where-the-words-of-a-search-are.md).
 */
import type { ComposedQuery } from '../../entities/composed-query.ts';
import type { Caller } from '../access/caller.ts';
import { DAYS, newestOfDays, SURVEYED } from './periods.ts';
import { isOfPeriods, matchesWords, ownerLexeme } from './post-words.ts';
import { OF_ACCOUNT } from './reachable-posts.ts';

/** Of words that at most so many posts have, all those posts are read. */
const FEW = 500;

/** Words are frequent if the parts that are looked at together have so many posts with them. */
const FREQUENT = 4;

/**
 * The parts of a period, from the newest on, that are looked at together: numbers of the first one, and how many. Words that are
 * frequent in all of it are found in the first one alone.
 */
const STEPS = '(15, 1), (14, 3), (11, 4), (7, 4), (3, 4)';

/** `dense` rows are at most one. `first` is the oldest post of the account. */
export const SURVEYED_POST = { id: 'uuid', dense: 'boolean', first: 'uuid' } as const;

export interface Survey {
  /** All posts of the account that have the words, in any order; null if they are many. */
  readonly few: readonly string[] | null;
  /** The newest post, of those looked at, where the words are frequent. */
  readonly dense: string | null;
  /** Oldest post of the account. */
  readonly first: string;
}

/** @returns null if no post has the words */
export function surveyOf(
  rows: readonly { readonly id: string; readonly dense: boolean; readonly first: string }[],
): Survey | null {
  const [row] = rows;
  if (row === undefined) return null;
  const few = row.dense || rows.length > FEW ? null : rows.map(({ id }) => id);
  return { few, dense: row.dense ? row.id : null, first: row.first };
}

/**
 * Looks at the oldest 17 minutes of each period of three days, from the newest one on, and if the words are frequent there, at those
 * of each of its 5 hours. Otherwise it selects the posts that have the words, one more than {@link FEW} when there are more.
 */
export function surveyQuery({ accountId }: Caller, q: string, before: string): ComposedQuery {
  const words = matchesWords('$2', '$3');
  // Materialized, so that PostgreSQL uses the index of words: with a limit in sight it would scan the table for frequent words.
  const sql = `
    with oldest as materialized (
      select id from posts where ${OF_ACCOUNT} order by account_id, id limit 1
    ), frequent as materialized (
      select h.post_id
      from (select array(select lpad(to_hex(g.newest - i), ${DAYS}, '0') || '00' from generate_series(0, ${SURVEYED - 1}) as i) as periods
        from oldest o cross join lateral
          generate_series($4::int, ('x' || lpad(left(o.id::text, ${DAYS}), 8, '0'))::bit(32)::int, ${-SURVEYED}) as g(newest)
        order by g.newest desc offset 0) s
      cross join lateral (
        select f.post_id from (select w.post_id from post_words w where ${words} and ${isOfPeriods('s.periods')} offset 0) f
        order by f.post_id desc limit 1 offset ${FREQUENT - 1}) h
      limit 1
    ), dense as materialized (
      select h.post_id
      from (select array(
          select left(f.post_id::text, ${DAYS}) || to_hex(g.newest - i) || '0' from generate_series(0, g.size - 1) as i) as periods
        from frequent f cross join (values ${STEPS}) as g(newest, size) order by g.newest desc offset 0) s
      cross join lateral (
        select f.post_id from (select w.post_id from post_words w where ${words} and ${isOfPeriods('s.periods')} offset 0) f
        order by f.post_id desc limit 1) h
      limit 1
    ), found as materialized (
      select w.post_id from post_words w where ${words} and not exists (select from dense)
    )
    select s.id, s.dense, o.id as first
    from (select post_id as id, true as dense from dense
      union all (select post_id, false from found limit ${FEW + 1})) s cross join oldest o`;
  return { sql, parameters: [[accountId], q, ownerLexeme(accountId), newestOfDays(before)] };
}
