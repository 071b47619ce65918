/** The filters of the list of posts, read from its address. */
import type { Inputs, Outputs } from '../../data/trpc.ts';
import { oneOfIn, present, textIn, textsIn } from '../../data/search.ts';
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

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export interface PostsSearch extends ConnectionSearch {
  readonly status?: Status;
  readonly tag?: string[];
  /** Days. */
  readonly from?: string;
  readonly to?: string;
  /** Words of the text. */
  readonly q?: string;
}

export type FilterChanges = Changes<PostsSearch>;

export function readPostsSearch(search: Record<string, unknown>): PostsSearch {
  const day = (name: string) => {
    const text = textIn(search, name);
    return text !== undefined && DAY.test(text) ? text : undefined;
  };
  return present({
    status: oneOfIn(search, 'status', STATUSES),
    ...readConnectionSearch(search),
    tag: textsIn(search, 'tag'),
    from: day('from'),
    to: day('to'),
    q: textIn(search, 'q'),
  });
}

/** The filters as the API takes them. It refuses a platform that it does not know. */
export function filterOf({ platform, ...search }: PostsSearch): Filter {
  return { ...search, ...(platform !== undefined && { platform: platform as NonNullable<Filter['platform']> }) };
}
