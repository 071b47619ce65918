/**
 * Finds posts by the words of their texts, newest first, at a cost that depends neither on how many posts the account has
 * nor on how many of them have the words (docs/decisions/0089-search-words-from-the-newest-posts-on.md).
 */
import { type ComposedQuery, composedQuery } from '../../entities/composed-query.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import type { Page } from '../paging.ts';
import { filteredPosts, type PostFilter } from './filtered-posts.ts';
import { readFoundPage } from './found-page.ts';
import { areClose, type Periods, periodsBefore, periodsNear } from './periods.ts';
import { POST_ID, type ShownPostRow } from './post-view.ts';
import { isOfPeriods, matchesWords, ownerLexeme } from './post-words.ts';
import { isReadInSteps, readMatches, type Span, spanQuery } from './read-matches.ts';
import { SURVEYED_POST, surveyOf, surveyQuery } from './search-survey.ts';

export interface PostSearch extends PostFilter {
  readonly q: string;
  readonly limit: number;
  readonly offset: number;
}

/** So many of the newest posts are read in order first: a frequent word fills a page from them. */
const READ_FIRST = 250;

const READ = { id: 'uuid', matches: 'boolean' } as const;

export async function searchPosts(
  context: Context,
  caller: Caller,
  search: PostSearch,
  connections: readonly string[] | null,
): Promise<Page<ShownPostRow>> {
  const { limit, offset } = search;
  const { queries } = context.db;
  const read = await composedQuery(queries, READ, await newestQuery(context, caller, search, connections));
  const ids = read.filter(({ matches }) => matches).map(({ id }) => id);
  const page = ids.slice(offset, offset + limit + 1);
  const last = read.at(-1);
  if (page.length <= limit && read.length === READ_FIRST && last !== undefined) {
    const rest = { ...search, cursor: last.id };
    // The database skips posts, because there may be more of them than memory.
    const span = { limit: limit + 1 - page.length, offset: Math.max(offset - ids.length, 0) };
    const isFrequent = ids.length > 0 && areClose(read[0]?.id ?? last.id, last.id);
    page.push(...(await olderPosts(context, caller, rest, connections, span, isFrequent)));
  }
  return readFoundPage(queries, page, limit);
}

/** @param isFrequent whether the periods near may fill the page: posts are many, and some of the newest have the words */
async function olderPosts(
  { db: { queries } }: Context,
  caller: Caller,
  search: PostSearch & { readonly cursor: string },
  connections: readonly string[] | null,
  span: Span,
  isFrequent: boolean,
): Promise<string[]> {
  const run = async (query: ComposedQuery) => (await composedQuery(queries, POST_ID.types, query)).map(({ id }) => id);
  const older = (periods: readonly Periods[]) => run(olderQuery(caller, search, connections, periods, span));
  if (isFrequent) {
    const near = await older(periodsNear(search.cursor).map((period) => [period]));
    if (near.length === span.limit) return near;
  }
  const survey = surveyOf(await composedQuery(queries, SURVEYED_POST, surveyQuery(caller, search.q, search.cursor)));
  if (survey === null) return [];
  const { few, dense, first } = survey;
  if (few !== null) return run(amongQuery(caller, search, connections, few, span));
  return older(periodsBefore(search.cursor, first, dense));
}

/** The newest posts that match the other filters, each with whether it has the words. */
async function newestQuery(
  context: Context,
  caller: Caller,
  search: PostSearch,
  connections: readonly string[] | null,
): Promise<ComposedQuery> {
  const span = { limit: READ_FIRST, offset: 0 };
  if (isReadInSteps(caller, search, connections)) {
    const found = await readMatches(context, caller, search, connections, span, POST_ID);
    const ids = found.map(({ id }) => id);
    return withMatches(caller, search, 'select id from unnest($1::uuid[]) as newest (id)', [ids]);
  }
  const { sql, parameters } = spanQuery(caller, search, connections, span, POST_ID.sql);
  return withMatches(caller, search, sql, parameters);
}

/** @param sql selects the ids of the posts, with the parameters */
function withMatches(caller: Caller, { q }: PostSearch, sql: string, parameters: readonly unknown[]): ComposedQuery {
  const words = matchesWords(`$${parameters.length + 1}`, `$${parameters.length + 2}`);
  // An aggregate, so that a row comes of each post, and its words are found by its id.
  return {
    sql: `
    select s.id, m.matches
    from (${sql}) s
    cross join lateral (
      select coalesce(bool_or(${words}), false) as matches from post_words w where w.post_id = s.id) m
    order by s.id desc`,
    parameters: [...parameters, q, ownerLexeme(caller.accountId)],
  };
}

/**
 * The posts before the cursor that have the words, through the index of words and periods: step by step, until the page is full.
 *
 * @param periods of each step, the newest first
 */
export function olderQuery(
  caller: Caller,
  search: PostSearch & { readonly cursor: string },
  connections: readonly string[] | null,
  periods: readonly Periods[],
  { limit, offset }: Span,
): ComposedQuery {
  const { condition, of, parameters } = filteredPosts(caller, search, connections);
  const words = matchesWords(of(search.q), of(ownerLexeme(caller.accountId)));
  const steps = `${of(periods.map((some) => some.join(' ')))}::text[]`;
  const wanted = `${of(offset + limit)}::int`;
  // Recursive, so that no step is read after the page is full: a sort would look into the next one. `offset 0` keeps both parts of a
  // step separate: the planner cannot know how many posts have the words. Sorted, no more posts are looked up than the page takes.
  const sql = `
    with recursive steps (step, ids, had) as (
      select 0, '{}'::uuid[], 0
      union all
      select s.step + 1, found.ids, s.had + cardinality(found.ids)
      from steps s cross join lateral (
        select array(
          select p.id
          from (
            select w.post_id from post_words w
            where ${words} and ${isOfPeriods(`string_to_array((${steps})[s.step + 1], ' ')`)} order by w.post_id desc offset 0) f
          cross join lateral (select id from posts where id = f.post_id and ${condition()} offset 0) p
          order by f.post_id desc limit ${wanted} - s.had) as ids offset 0) found
      where s.step < cardinality(${steps}) and s.had < ${wanted})
    select i.id from steps s cross join lateral unnest(s.ids) with ordinality as i(id, place)
    order by s.step, i.place limit ${of(limit)} offset ${of(offset)}`;
  return { sql, parameters };
}

/** Of these posts the ones that match the other filters, newest first: no more are looked up than the page takes. */
function amongQuery(
  caller: Caller,
  search: PostSearch,
  connections: readonly string[] | null,
  found: readonly string[],
  { limit, offset }: Span,
): ComposedQuery {
  const { condition, of, parameters } = filteredPosts(caller, search, connections);
  const ids = of(found);
  const sql = `
    select p.id
    from (select f.id from unnest(${ids}::uuid[]) as f(id) order by f.id desc offset 0) f
    cross join lateral (select id from posts where id = f.id and ${condition()} offset 0) p
    order by f.id desc limit ${of(limit)} offset ${of(offset)}`;
  return { sql, parameters };
}
