/** Search parameters of /compose: what a link brings along. */
import { oneOfIn, present, textIn, textsIn } from '../../data/search.ts';
import { ZONE } from '../../ui/times.ts';
import { type LocalTime, localTimeAt } from '../../ui/local-time.ts';

export interface ComposeSearch {
  /** Id of a post whose content is the beginning. */
  readonly from?: string;
  /** Id of a draft of the service to continue. */
  readonly draft?: string;
  /** Slugs or ids of connections to choose. */
  readonly slug?: string[];
  /** An instant. */
  readonly time?: string;
  readonly text?: string;
  /** Present to take the next free slot. */
  readonly queue?: 'yes';
}

export function readComposeSearch(search: Record<string, unknown>): ComposeSearch {
  return present({
    from: textIn(search, 'from'),
    draft: textIn(search, 'draft'),
    slug: textsIn(search, 'slug'),
    time: instantIn(search),
    text: textIn(search, 'text'),
    queue: oneOfIn(search, 'queue', ['yes']),
  });
}

function instantIn(search: Record<string, unknown>): string | undefined {
  const time = textIn(search, 'time');
  const instant = Date.parse(time ?? '');
  return Number.isNaN(instant) ? undefined : new Date(instant).toISOString();
}

/** A link to compose for a time, as other views have it. */
export function composeAt(instant: number, connections: readonly string[]): ComposeSearch {
  const time = new Date(instant).toISOString();
  return connections.length === 0 ? { time } : { time, slug: [...connections] };
}

/** The fields of a composition that an address with a time or the queue sets. */
export function timeFields({ time, queue }: ComposeSearch) {
  return {
    ...(time !== undefined && { when: 'time' as const, ...localTimeOf(time) }),
    ...(queue !== undefined && { when: 'queue' as const }),
  };
}

/** An instant as the fields of a composition have it. */
export function localTimeOf(instant: string): LocalTime & { readonly zone: string } {
  return { ...localTimeAt(Date.parse(instant), ZONE), zone: ZONE };
}
