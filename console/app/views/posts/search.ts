/** The filters of the list of posts, read from its address. */
import type { Inputs, Outputs } from '../../data/api-types.ts';
import { dayIn, oneOfIn, present, startOfDay, textIn, textsIn } from '../../data/search.ts';
import { type Changes, type ConnectionSearch, readConnectionSearch } from '../../filters/connection-search.ts';

type Filter = NonNullable<Inputs['posts']['list']>;
export type Status = Outputs['posts']['list']['posts'][number]['status'];

export const STATUSES = [
  'scheduled',
  'processing',
  'sent',
  'failed',
  'draft',
  'cancelled',
  'deleted',
] as const satisfies readonly Status[];

export interface PostsSearch extends ConnectionSearch {
  readonly status?: Status;
  readonly tag?: string[];
  /** Days in the time of the browser. */
  readonly from?: string;
  readonly to?: string;
  /** Words of the text. */
  readonly q?: string;
}

export type FilterChanges = Changes<PostsSearch>;

export function readPostsSearch(search: Record<string, unknown>): PostsSearch {
  return present({
    status: oneOfIn(search, 'status', STATUSES),
    ...readConnectionSearch(search),
    tag: textsIn(search, 'tag'),
    from: dayIn(search, 'from'),
    to: dayIn(search, 'to'),
    q: textIn(search, 'q'),
  });
}

/** The filters as the API takes them: instants, both of which it includes. It refuses a platform that it does not know. */
export function filterOf({ platform, from, to, ...search }: PostsSearch): Filter {
  return {
    ...search,
    ...(platform !== undefined && { platform: platform as NonNullable<Filter['platform']> }),
    ...(from !== undefined && { from: startOfDay(from, 0).toISOString() }),
    ...(to !== undefined && { to: new Date(startOfDay(to, 1).getTime() - 1).toISOString() }),
  };
}
