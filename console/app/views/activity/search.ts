/** The address of the activity: its filters. */
import { dayIn, oneOfIn, present, startOfDay, textIn } from '../../data/search.ts';
import type { Inputs } from '../../data/api-types.ts';
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

export function readActivitySearch(search: Record<string, unknown>): ActivitySearch {
  return present({
    actorKind: oneOfIn(search, 'actorKind', ACTOR_KINDS),
    actorId: textIn(search, 'actorId'),
    operation: textIn(search, 'operation'),
    objectId: textIn(search, 'objectId'),
    outcome: oneOfIn(search, 'outcome', OUTCOMES),
    from: dayIn(search, 'from'),
    to: dayIn(search, 'to'),
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
