/** The address of the activity: its filters. */
import { oneOfIn, present, textIn } from '../../data/search.ts';
import type { Inputs } from '../../data/trpc.ts';
import { ERRORS } from '../../../../errors/codes.ts';

type Filter = NonNullable<Inputs['audit']['list']>;
export type ActorKind = NonNullable<Filter['actorKind']>;
export type Outcome = NonNullable<Filter['outcome']>;

export const ACTOR_KINDS = [
  'person',
  'key',
  'oauth_client',
  'customer',
  'operator',
] as const satisfies readonly ActorKind[];

export const OUTCOMES = ['ok', 'none', ...(Object.keys(ERRORS) as Exclude<Outcome, 'ok' | 'none'>[])] as const;

export interface ActivitySearch {
  readonly actorKind?: ActorKind;
  /** Id of a key, an agent, a person or a connect session. */
  readonly actorId?: string;
  readonly operation?: string;
  /** Id of what was changed. */
  readonly objectId?: string;
  readonly outcome?: Outcome;
  /** Days in the time of the browser. */
  readonly from?: string;
  readonly to?: string;
}

export type FilterChanges = { readonly [Name in keyof ActivitySearch]: ActivitySearch[Name] | undefined };

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function readActivitySearch(search: Record<string, unknown>): ActivitySearch {
  const day = (name: string) => {
    const text = textIn(search, name);
    return text !== undefined && DAY.test(text) && !Number.isNaN(startOfDay(text, 0).getTime()) ? text : undefined;
  };
  return present({
    actorKind: oneOfIn(search, 'actorKind', ACTOR_KINDS),
    actorId: textIn(search, 'actorId'),
    operation: textIn(search, 'operation'),
    objectId: textIn(search, 'objectId'),
    outcome: oneOfIn(search, 'outcome', OUTCOMES),
    from: day('from'),
    to: day('to'),
  });
}

/** The filters as the API takes them: instants, of which the last day is part. */
export function filterOf({ from, to, ...search }: ActivitySearch): Filter {
  return {
    ...search,
    ...(from !== undefined && { since: startOfDay(from, 0).toISOString() }),
    ...(to !== undefined && { until: startOfDay(to, 1).toISOString() }),
  };
}

/** Midnight on the clock of the browser. */
function startOfDay(day: string, later: number): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later);
}
