/** One profile: its connections, a link with which the customer connects more, its brand voice, its keys, and its fields. */
import { getRouteApi } from '@tanstack/react-router';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNames } from '../../data/connections.ts';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { useTitle } from '../../shell/use-title.ts';
import { Link } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { toast } from '../../ui/toasts.tsx';
import { ConnectLink } from './connect-link.tsx';
import { DeleteProfile } from './delete-profile.tsx';
import { ProfileForm } from './profile-form.tsx';
import { ProfileKeys } from './profile-keys.tsx';
import { ProfileVoice } from './profile-voice.tsx';
import './profiles.css';

const route = getRouteApi('/profiles/$profileId');

type Profile = Outputs['profiles']['get']['profile'];

export function ProfileView() {
  const { profileId } = route.useParams();
  const query = useQuery(useTRPC().profiles.get.queryOptions({ profileId }));
  const name = query.data?.profile.name ?? 'Profile';
  useTitle(name);
  return (
    <>
      <p>
        <Link to="/profiles" className="link">
          All profiles
        </Link>
      </p>
      <h1 dir="auto">{name}</h1>
      <QueryView what="the profile" query={query}>
        {({ profile }) => <ProfilePanels key={profile.id} profile={profile} />}
      </QueryView>
    </>
  );
}

function ProfilePanels({ profile }: { profile: Profile }) {
  const { id, externalId, createdAt } = profile;
  return (
    <>
      <p className="hint">
        {externalId !== null && (
          <>
            External id <code>{externalId}</code>,{' '}
          </>
        )}
        made <Moment at={createdAt} />.{' '}
        <Link to="/posts" search={{ profileId: id }} className="link">
          Posts of this profile
        </Link>
      </p>
      <ProfileConnections profileId={id} />
      <Refusal of="profiles:write" />
      <Allowed to="connections:write">
        <ConnectLink profileId={id} />
      </Allowed>
      <ProfileVoice profileId={id} />
      <ProfileKeys profileId={id} />
      <Allowed to="profiles:write">
        <Change profile={profile} />
        <DeleteProfile profile={profile} />
      </Allowed>
    </>
  );
}

function ProfileConnections({ profileId }: { profileId: string }) {
  const query = useQuery(useTRPC().connections.list.queryOptions({ profileId }));
  const names = useNames();
  return (
    <Panel title="Connections">
      <QueryView what="the connections" query={query}>
        {({ connections }) =>
          connections.length === 0 ? (
            <p>No account is connected. Send the customer a link, below.</p>
          ) : (
            <ul className="rows">
              {connections.map(({ id, slug, platformId, description, reconnectRequired }) => (
                <li key={id}>
                  <p>
                    <Link to="/connections/$connectionId" params={{ connectionId: id }} className="link">
                      <b>{slug}</b>
                    </Link>{' '}
                    <span className="soft">{names.platform(platformId)}</span>
                  </p>
                  <p className="hint" dir="auto">
                    {description}
                  </p>
                  {reconnectRequired !== null && (
                    <p className="bad">{reconnectRequired.reason} Send the customer a new link.</p>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </Panel>
  );
}

function Change({ profile: { id, name, externalId } }: { profile: Profile }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const change = useMutation(
    trpc.profiles.update.mutationOptions({
      onSuccess: () => toast('The profile is changed.'),
      onSettled: () => queryClient.invalidateQueries(trpc.profiles.pathFilter()),
    }),
  );
  return (
    <Panel title="Name and external id">
      <ProfileForm
        initial={{ name, externalId: externalId ?? '' }}
        action="Save"
        isPending={change.isPending}
        failure={change.error}
        onSubmit={({ name: written, externalId: given }, settle) =>
          change.mutate(
            { profileId: id, name: written, externalId: given === '' ? null : given },
            { onSuccess: settle },
          )
        }
      />
    </Panel>
  );
}
