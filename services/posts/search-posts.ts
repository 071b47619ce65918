/**
 * Finds posts by the words of their texts, newest first, at a cost that depends neither on how many posts the account has
 * nor on how many of them have the words (docs/decisions/0089-search-words-from-the-newest-posts-on.md).
 */
import { type ComposedQuery, composedQuery } from '../../entities/composed-query.ts';
import type { Row } from '../../entities/statement.ts';
import { ownerOfList } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { filteredPosts, type PostFilter } from './filtered-posts.ts';
import { periodsBefore } from './periods.ts';
import { SHOWN_POST } from './post-view.ts';
import { isOfPeriod, matchesWords, ownerLexeme } from './post-words.ts';

export interface PostSearch extends PostFilter {
  readonly q: string;
  readonly limit: number;
  readonly offset: number;
}

/** So many of the newest posts are read in order first: a frequent word fills a page from them. */
const READ_FIRST = 250;

/** Of words that at most so many posts have, all those posts are read. */
const FEW = 500;

/** Which of the posts that are found to give. */
interface Span {
  readonly limit: number;
  readonly offset: number;
}

const FOUND = { id: 'uuid' } as const;
const READ = { id: 'uuid', matches: 'boolean' } as const;

/** @returns the rows of the page, and one more if there is one */
export async function searchPosts(
  context: Context,
  caller: Caller,
  search: PostSearch,
  connections: readonly string[] | null,
): Promise<Row<typeof SHOWN_POST.types>[]> {
  const { limit, offset } = search;
  const { queries } = context.db;
  const read = await composedQuery(queries, READ, newestQuery(caller, search, connections));
  const ids = read.filter(({ matches }) => matches).map(({ id }) => id);
  const page = ids.slice(offset, offset + limit + 1);
  const last = read.at(-1);
  if (page.length <= limit && read.length === READ_FIRST && last !== undefined) {
    const rest = { ...search, cursor: last.id };
    // The database skips posts, because there may be more of them than memory.
    const span = { limit: limit + 1 - page.length, offset: Math.max(offset - ids.length, 0) };
    // Words that none of the newest posts has may be rare.
    const few = ids.length === 0 ? await composedQuery(queries, FOUND, fewQuery(caller, search)) : null;
    const older =
      few !== null && few.length <= FEW
        ? amongQuery(caller, rest, connections, few, span)
        : olderQuery(caller, rest, connections, await firstPost(context, caller), span);
    page.push(...(await composedQuery(queries, FOUND, older)).map(({ id }) => id));
  }
  return page.length === 0 ? [] : composedQuery(queries, SHOWN_POST.types, pageQuery(page));
}

/** The newest posts that match the other filters, each with whether it has the words. */
export function newestQuery(caller: Caller, search: PostSearch, connections: readonly string[] | null): ComposedQuery {
  const { newest, order, of, parameters } = filteredPosts(caller, search, connections);
  const words = matchesWords(of(search.q), of(ownerLexeme(caller.accountId)));
  // An aggregate, so that a row comes of each post, and its words are found by its id.
  const sql = `
    select s.id, m.matches
    from (select posts.id from ${newest(READ_FIRST)} order by ${order} limit ${of(READ_FIRST)}) s
    cross join lateral (
      select coalesce(bool_or(${words}), false) as matches from post_words w where w.post_id = s.id) m
    order by s.id desc`;
  return { sql, parameters };
}

/**
 * The posts before the cursor that have the words, through the index of words and periods. The periods are in order, so
 * PostgreSQL sorts the posts of one after the other, and reads no further than the page.
 *
 * @param first id of the oldest post that may match
 */
export function olderQuery(
  caller: Caller,
  search: PostSearch & { readonly cursor: string },
  connections: readonly string[] | null,
  first: string,
  { limit, offset }: Span,
): ComposedQuery {
  const { condition, of, parameters } = filteredPosts(caller, search, connections);
  const words = matchesWords(of(search.q), of(ownerLexeme(caller.accountId)));
  // `offset 0` keeps each step separate: the planner cannot know how many posts have the words. Sorted, no more posts of a period are
  // looked up than the page takes.
  const sql = `
    select p.id
    from (select u.period, u.place from unnest(${of(periodsBefore(search.cursor, first))}::text[]) with ordinality as u(period, place)
      order by u.place) b
    cross join lateral (
      select p.id
      from (select w.post_id from post_words w where ${words} and ${isOfPeriod('b.period')} order by w.post_id desc offset 0) f
      cross join lateral (select id from posts where id = f.post_id and ${condition()} offset 0) p
      order by f.post_id desc limit ${of(offset + limit)}) p
    order by b.place, p.id desc limit ${of(limit)} offset ${of(offset)}`;
  return { sql, parameters };
}

/** Posts of the account that have the words, in any order: one more than {@link FEW} when there are more. */
function fewQuery({ accountId }: Caller, { q }: PostSearch): ComposedQuery {
  // Materialized, so that PostgreSQL uses the index of words: with a limit in sight it would scan the table for frequent words.
  const sql = `
    with found as materialized (select w.post_id as id from post_words w where ${matchesWords('$1', '$2')})
    select id from found limit ${FEW + 1}`;
  return { sql, parameters: [q, ownerLexeme(accountId)] };
}

/** Of these posts the ones that match the other filters. */
function amongQuery(
  caller: Caller,
  search: PostSearch,
  connections: readonly string[] | null,
  found: readonly { readonly id: string }[],
  { limit, offset }: Span,
): ComposedQuery {
  const { condition, of, parameters } = filteredPosts(caller, search, connections);
  const ids = of(found.map(({ id }) => id));
  const sql = `select id from posts where id = any(${ids}::uuid[]) and ${condition()} order by id desc limit ${of(limit)} offset ${of(offset)}`;
  return { sql, parameters };
}

function pageQuery(ids: readonly string[]): ComposedQuery {
  return { sql: `select ${SHOWN_POST.sql} from posts where id = any($1::uuid[]) order by id desc`, parameters: [ids] };
}

async function firstPost(context: Context, { accountId }: Caller): Promise<string> {
  const posts = tables(context.db.queries)
    .selectFrom('posts')
    .select('id')
    .where('account_id', '=', ownerOfList(accountId));
  const { id } = await posts.orderBy('account_id').orderBy('id').limit(1).executeTakeFirstOrThrow();
  return id;
}
