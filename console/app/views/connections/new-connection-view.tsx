/** Connects an account of any platform: on the hosted page that customers use, or with a login that the person holds. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { usePlatforms } from '../../data/connections.ts';
import { useProfiles } from '../../data/profiles.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { useTitle } from '../../shell/use-title.ts';
import { Link } from '../../ui/link.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Select } from '../../ui/select.tsx';
import { CredentialsForm } from './credentials-form.tsx';
import { PlatformRow } from './platform-row.tsx';
import './connections.css';

const route = getRouteApi('/connections/new');

/** A choice cannot have an empty value. */
const OWN = '*';

export function NewConnectionView() {
  useTitle('Connect an account');
  const { profile, credentials } = route.useSearch();
  const navigate = useNavigate({ from: '/connections/new' });
  const query = usePlatforms();
  const profiles = useProfiles().data?.profiles ?? [];
  return (
    <>
      <p>
        <Link to="/connections" className="link">
          All connections
        </Link>
      </p>
      <h1>Connect an account</h1>
      <Refusal of="connections:write" />
      <Allowed to="connections:write">
        {(profiles.length > 0 || profile !== undefined) && (
          <Select
            label="Whose account"
            value={profile ?? OWN}
            choices={[
              { value: OWN, label: 'Our own account' },
              ...profiles.map(({ id, name }) => ({ value: id, label: `Of ${name}` })),
            ]}
            onChange={(value) =>
              void navigate({
                to: '/connections/new',
                search: ({ profile: _before, ...rest }) => ({ ...rest, ...(value !== OWN && { profile: value }) }),
                replace: true,
              })
            }
          />
        )}
        <QueryView what="the platforms" query={query}>
          {({ platforms }) => (
            <>
              {credentials !== undefined && (
                <Panel title={`Login of ${platforms.find(({ id }) => id === credentials)?.name ?? credentials}`}>
                  <CredentialsForm key={credentials} platformId={credentials} profileId={profile} />
                </Panel>
              )}
              <Panel title="Platform">
                <p className="hint">
                  Connect opens the page that customers use too, in this tab, and comes back here. The service stores
                  the login encrypted, and shows it to no one.
                </p>
                <ul className="rows platform-rows">
                  {platforms.map((platform) => (
                    <PlatformRow key={platform.id} platform={platform} profileId={profile} />
                  ))}
                </ul>
              </Panel>
            </>
          )}
        </QueryView>
      </Allowed>
    </>
  );
}
