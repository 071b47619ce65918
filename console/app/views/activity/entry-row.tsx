/** A change in the activity: who, what, on which object, and how it ended. Names filter the list. */
import type { ReactNode } from 'react';
import { hintOf } from '../../data/problem.ts';
import type { Outputs } from '../../data/trpc.ts';
import { Link } from '../../ui/link.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import type { ActivitySearch } from './search.ts';

type Entry = Outputs['audit']['list']['entries'][number];

export const ACTOR_WORDS: Readonly<Record<Entry['actor']['kind'], string>> = {
  key: 'API key',
  oauth_client: 'Agent',
  person: 'Person',
  customer: 'Customer of',
  operator: 'Operator',
};

export function EntryRow({ entry, search }: { entry: Entry; search: ActivitySearch }) {
  const { at, actor, surface, operation, object, outcome } = entry;
  return (
    <li>
      <p>
        <Link to="/activity" search={{ ...search, operation }} className="link">
          <code>{operation}</code>
        </Link>{' '}
        <OutcomeBadge outcome={outcome} />
      </p>
      <p>
        {ACTOR_WORDS[actor.kind]}{' '}
        {actor.kind !== 'operator' && (
          <Link to="/activity" search={{ ...search, actorId: actor.id }} className="link">
            <bdi>{actor.name}</bdi>
          </Link>
        )}{' '}
        <span className="soft">over {surface}</span>
      </p>
      {object !== null && <ObjectLinks object={object} />}
      {outcome !== null && outcome !== 'ok' && hintOf(outcome) !== null && <p className="hint">{hintOf(outcome)}</p>}
      <p className="hint">
        <QuietMoment at={at} />
      </p>
    </li>
  );
}

function OutcomeBadge({ outcome }: { outcome: string | null }) {
  if (outcome === null) return <span className="badge badge-wait">no outcome</span>;
  if (outcome === 'ok') return <span className="badge badge-good">done</span>;
  return (
    <span className="badge badge-bad">
      refused: <code>{outcome}</code>
    </span>
  );
}

/** How many objects of one change are shown. */
const SHOWN = 5;

function ObjectLinks({ object: { type, ids } }: { object: NonNullable<Entry['object']> }) {
  return (
    <p className="hint">
      {type.replaceAll('_', ' ')}{' '}
      {ids.slice(0, SHOWN).map((id) => (
        <span key={id}>
          <ObjectLink type={type} id={id} />{' '}
        </span>
      ))}
      {ids.length > SHOWN && `and ${ids.length - SHOWN} more`}
    </p>
  );
}

/** Objects without a view lead to their own activity. */
function ObjectLink({ type, id }: { type: string; id: string }): ReactNode {
  const text = <code>{id}</code>;
  if (type === 'post') {
    return (
      <Link to="/posts/$postId" params={{ postId: id }} className="link">
        {text}
      </Link>
    );
  }
  if (type === 'connection') {
    return (
      <Link to="/connections/$connectionId" params={{ connectionId: id }} className="link">
        {text}
      </Link>
    );
  }
  if (type === 'profile') {
    return (
      <Link to="/profiles/$profileId" params={{ profileId: id }} className="link">
        {text}
      </Link>
    );
  }
  if (type === 'webhook') {
    return (
      <Link to="/webhooks/$webhookId" params={{ webhookId: id }} className="link">
        {text}
      </Link>
    );
  }
  return (
    <Link to="/activity" search={{ objectId: id }} className="link">
      {text}
    </Link>
  );
}
