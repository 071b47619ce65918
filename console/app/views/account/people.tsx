/** The people of the account with their roles; owners invite, change roles and remove. */
import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '../../data/trpc.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Invitations } from './invitations.tsx';
import { LeaveAccount } from './leave-account.tsx';
import { PersonRow } from './person-row.tsx';

export function People() {
  const query = useQuery(useTRPC().people.list.queryOptions({}));
  return (
    <Panel title="People">
      <p className="hint">Viewers read, editors post, owners do the rest. Activity names who did what.</p>
      <QueryView what="the people" query={query}>
        {({ people }) => (
          <>
            <ul className="rows" aria-label="People, in the order in which they joined">
              {people.map((person) => (
                <PersonRow key={person.id} person={person} />
              ))}
            </ul>
            <LeaveAccount isLastOwner={isLastOwner(people)} />
          </>
        )}
      </QueryView>
      <Refusal of="owner" />
      <Allowed to="owner">
        <Invitations />
      </Allowed>
    </Panel>
  );
}

function isLastOwner(people: readonly Parameters<typeof PersonRow>[0]['person'][]): boolean {
  const owners = people.filter(({ role }) => role === 'owner');
  return owners.length === 1 && owners.some(({ isYou }) => isYou);
}
