/**
 * Reads the newest posts of a list by several filters, along the index of the filter with the fewest posts
 * (docs/decisions/0149-read-several-filters-along-the-sparsest-index.md).
 */
import { type ComposedQuery, composedQuery } from '../../entities/composed-query.ts';
import type { Row, Types } from '../../entities/statement.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { filteredPosts, type PostFilter } from './filtered-posts.ts';

/** Which of the posts that match to give. */
export interface Span {
  readonly limit: number;
  readonly offset: number;
}

/** Columns of posts. */
interface Selected<Result extends Types> {
  readonly sql: string;
  readonly types: Result;
}

/** Posts of an index that the first step reads. Each next one reads {@link GROWTH} times as many, up to {@link ENTRIES_MAX}. */
const FIRST_ENTRIES = 500;
const GROWTH = 4;
const ENTRIES_MAX = 32_000;

/**
 * Without a tag, the steps end after the one that reads so many: PostgreSQL reads the rest in one query, for which it can combine indexes.
 * Where filters hardly ever match together, that takes a fifth of the time of steps.
 */
const STEPPED_WITHOUT_TAG = 2_000;

/** Posts that may come into a part of an index between the query that finds it and the one that reads it, as statuses change. */
const ADDED_MAX = 500;

/** What a step reads: posts of one of the indexes, from the newest to the oldest, or to the end of the index when that is null. */
const PART = { place: 'int', newest: 'uuid', oldest: 'uuid?' } as const;

/**
 * Whether {@link readMatches} is for this list, and not one query along the index of its only filter. Along that index, a list that has
 * less than a page since its first day would read all older posts too.
 */
export function isReadInSteps(caller: Caller, filter: PostFilter, connections: readonly string[] | null): boolean {
  const { count } = filteredPosts(caller, filter, connections);
  return count > (filter.from === undefined ? 1 : 0);
}

/**
 * Step by step, until the span is full. Each step reads the index that reaches furthest back with as many posts, so that a filter that most
 * posts match costs nothing.
 *
 * @returns rows, newest first
 */
export async function readMatches<Result extends Types>(
  { db: { queries } }: Context,
  caller: Caller,
  filter: PostFilter,
  connections: readonly string[] | null,
  { limit, offset }: Span,
  { sql, types }: Selected<Result>,
): Promise<Row<Result>[]> {
  const rows: Row<Result>[] = [];
  const { tag = [] } = filter;
  let { cursor } = filter;
  let toSkip = offset;
  for (let entries = FIRST_ENTRIES; ; entries = Math.min(entries * GROWTH, ENTRIES_MAX)) {
    const rest = { ...filter, cursor };
    const wanted = { limit: limit - rows.length, offset: toSkip };
    if (entries > STEPPED_WITHOUT_TAG && tag.length === 0)
      return [...rows, ...(await composedQuery(queries, types, spanQuery(caller, rest, connections, wanted, sql)))];
    const [part] = await composedQuery(queries, PART, partQuery(caller, rest, connections, entries));
    if (part === undefined) return rows;
    const step = { part, entries: entries + ADDED_MAX, wanted, selected: sql };
    const query = matchesQuery(caller, rest, connections, step);
    const found = await composedQuery(queries, types, query);
    rows.push(...found.slice(toSkip));
    toSkip = Math.max(toSkip - found.length, 0);
    if (part.oldest === null || rows.length >= limit) return rows;
    cursor = part.oldest;
  }
}

/**
 * What the next step reads. No match is newer than the newest post of any index, so it begins at the oldest of these, and nothing is left
 * when an index has no post.
 *
 * @param entries posts of the index, at most
 */
export function partQuery(
  caller: Caller,
  filter: PostFilter,
  connections: readonly string[] | null,
  entries: number,
): ComposedQuery {
  const { indexes, isRecent, parameters } = filteredPosts(caller, filter, connections);
  const names = indexes.map((_, place) => `n${place}`);
  const newest = indexes.map((index) => `(${index(1)} limit 1)`);
  const reach = indexes.map(
    (index, place) => `(${place}, (${index(entries, 'start.id')} limit 1 offset ${entries - 1}))`,
  );
  const sql = `
    with newest (${names.join(', ')}) as materialized (select ${newest.join(', ')}),
      start as materialized (
        select least(${names.join(', ')}) as id from newest where ${names.map((name) => `${name} is not null`).join(' and ')})
    select reach.place, start.id as newest, case when ${isRecent('reach.oldest')} then reach.oldest end as oldest
    from start cross join lateral (values ${reach.join(', ')}) as reach (place, oldest)
    where ${isRecent('start.id')}
    order by reach.oldest nulls first limit 1`;
  return { sql, parameters };
}

interface Step {
  readonly part: Row<typeof PART>;
  /** Most posts of the index to read. */
  readonly entries: number;
  readonly wanted: Span;
  /** Columns. */
  readonly selected: string;
}

/** The posts of a part that match every filter: no more are looked at than are wanted. */
export function matchesQuery(
  caller: Caller,
  filter: PostFilter,
  connections: readonly string[] | null,
  { part: { place, newest, oldest }, entries, wanted, selected }: Step,
): ComposedQuery {
  const { indexes, condition, of, parameters } = filteredPosts(caller, filter, connections);
  const found = `${indexes[place]?.(entries, of(newest))} limit ${entries}`;
  const part = oldest === null ? '' : `where e.id >= ${of(oldest)}::uuid`;
  // `offset 0` keeps the index: the planner would choose another one for the conditions, or sort whole posts.
  const sql = `
    select ${selected}
    from (select e.id from (${found}) e ${part} order by e.id desc offset 0) f
    cross join lateral (select * from posts where id = f.id and ${condition()} offset 0) posts
    order by f.id desc limit (select ${of(wanted.offset + wanted.limit)}::bigint)`;
  return { sql, parameters };
}

/** One query for all of a span. @param selected columns */
export function spanQuery(
  caller: Caller,
  filter: PostFilter,
  connections: readonly string[] | null,
  { limit, offset }: Span,
  selected: string,
): ComposedQuery {
  const { newest, order, of, parameters } = filteredPosts(caller, filter, connections);
  const found = newest(offset + limit);
  const sql = `select ${selected} from ${found} order by ${order} limit ${of(limit)} offset ${of(offset)}`;
  return { sql, parameters };
}
