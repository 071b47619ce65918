/** Profiles: the customers of a product built on the service, found by their external id, and a form that makes one. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { useTitle } from '../../shell/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { UsersRound } from '../../ui/view-icons.tsx';
import { Link } from '../../ui/link.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { toast } from '../../ui/toasts.tsx';
import { ProfileForm } from './profile-form.tsx';
import './profiles.css';

const route = getRouteApi('/profiles');

const PAGE = 50;

export function ProfilesView() {
  useTitle('Profiles');
  const { externalId } = route.useSearch();
  const query = useInfiniteQuery(
    useTRPC().profiles.list.infiniteQueryOptions(
      { limit: PAGE, ...(externalId !== undefined && { externalId }) },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  return (
    <>
      <h1>Profiles</h1>
      <QueryView what="the profiles" query={query}>
        {({ pages }) => (
          <>
            <Refusal of="profiles:write" />
            <Allowed to="profiles:write">
              <NewProfile />
            </Allowed>
            <Panel title="Customers">
              <IdSearch key={externalId ?? ''} externalId={externalId ?? ''} />
              <Rows profiles={pages.flatMap(({ profiles }) => profiles)} isFiltered={externalId !== undefined} />
              <ShowMore what="profiles" query={query} />
            </Panel>
          </>
        )}
      </QueryView>
    </>
  );
}

/** The API finds whole ids only, so it is asked at a press and not while typing. */
function IdSearch({ externalId }: { externalId: string }) {
  const navigate = useNavigate();
  const [text, setText] = useState(externalId);
  const find = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ to: '/profiles', search: text.trim() === '' ? {} : { externalId: text } });
  };
  return (
    <search>
      <form className="id-search" onSubmit={find}>
        <TextField
          label="Find by external id"
          hint="The whole id."
          autoComplete="off"
          value={text}
          onChange={setText}
        />
        <Button type="submit">Find</Button>
        {externalId !== '' && (
          <Link to="/profiles" className="button button-quiet">
            Show all
          </Link>
        )}
      </form>
    </search>
  );
}

type Profile = Outputs['profiles']['list']['profiles'][number];

function Rows({ profiles, isFiltered }: { profiles: readonly Profile[]; isFiltered: boolean }) {
  if (profiles.length === 0) {
    return isFiltered ? (
      <p>No profile has this external id.</p>
    ) : (
      <EmptyState icon={UsersRound} title="No profiles yet">
        A profile holds the connections, the posts and the keys of one customer of yours. You need none when you post to
        your own accounts only.
      </EmptyState>
    );
  }
  return (
    <ul className="rows profile-rows" aria-label="Profiles, newest first">
      {profiles.map(({ id, name, externalId, createdAt }) => (
        <li key={id}>
          <p>
            <Link to="/profiles/$profileId" params={{ profileId: id }} className="link">
              <bdi>{name}</bdi>
            </Link>
          </p>
          <p className="hint">
            {externalId !== null && (
              <>
                External id <code>{externalId}</code>,{' '}
              </>
            )}
            made <QuietMoment at={createdAt} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function NewProfile() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const making = useMutation(
    trpc.profiles.create.mutationOptions({
      onSuccess: ({ profile }) => toast(`${profile.name} is made.`),
      onSettled: () => queryClient.invalidateQueries(trpc.profiles.pathFilter()),
    }),
  );
  return (
    <Panel title="Make a profile">
      <ProfileForm
        initial={{ name: '', externalId: '' }}
        action="Make"
        isPending={making.isPending}
        failure={making.error}
        onSubmit={({ name, externalId }, clear) =>
          making.mutate({ name, ...(externalId !== '' && { externalId }) }, { onSuccess: clear })
        }
      />
    </Panel>
  );
}
