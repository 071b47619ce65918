/** What the service would refuse, once per reason, with the connections that it concerns. */
import { hintOf } from '../../data/problem.ts';
import type { Connection } from '../../data/connections.ts';
import { ProblemView } from '../../ui/problem-view.tsx';
import type { Verdicts } from './use-verdicts.ts';

/** How many connections are named. */
const NAMED = 3;

export function Problems({ verdicts, chosen }: { verdicts: Verdicts; chosen: readonly Connection[] }) {
  const refused = chosen.flatMap((connection) => {
    const error = verdicts.of.get(connection.id)?.error ?? null;
    return error === null ? [] : [{ connection, error }];
  });
  const groups = [...Map.groupBy(refused, ({ error }) => error.message)];
  return (
    <>
      {verdicts.failure !== null && <ProblemView failure={verdicts.failure} />}
      {groups.length > 0 && (
        <section className="problem" aria-label="What does not fit">
          <ul className="refusals">
            {groups.map(([message, members]) => (
              <li key={message}>
                <b>{namesOf(members.map(({ connection }) => connection.slug))}</b>: <span dir="auto">{message}</span>{' '}
                <span className="hint">{hintOf(members[0]?.error.code ?? '')}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** Some of them, and how many more there are. */
export function namesOf(slugs: readonly string[]): string {
  const left = slugs.length - NAMED;
  return left > 0 ? `${slugs.slice(0, NAMED).join(', ')} and ${left} more` : slugs.join(', ');
}
