/** Settings: what each platform still needs from the operator, and the settings of the install without secrets. */
import { useQuery } from '@tanstack/react-query';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { useSession } from '../../shell/session-context.ts';
import { useTitle } from '../../shell/use-title.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Settings } from '../../ui/view-icons.tsx';
import { ServerLink } from '../../ui/link.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { PlatformSetups } from './platform-setups.tsx';
import './settings.css';

type Group = Outputs['people']['readSettings']['groups'][number];

export function SettingsView() {
  useTitle('Settings');
  const session = useSession();
  return (
    <>
      <h1>Settings</h1>
      {session.kind === 'person' ? (
        <Allowed to="owner" instead={<Refusal of="owner" />}>
          <Install />
        </Allowed>
      ) : (
        <EmptyState icon={Settings} title="Sign in to see the settings">
          Keys do not see the settings of the install. <ServerLink href="/sign-in">Sign in</ServerLink>
        </EmptyState>
      )}
    </>
  );
}

function Install() {
  const query = useQuery(useTRPC().people.readSettings.queryOptions({}));
  return (
    <QueryView what="the settings" query={query}>
      {({ version, publicUrl, groups, platforms }) => (
        <>
          <p className="hint">
            Carillon {version} at <bdi>{publicUrl}</bdi>. Settings are variables of the environment: change them where
            the service is started, then start it anew. Values of secrets are never shown.
          </p>
          <PlatformSetups platforms={platforms} />
          {groups.map((group) => (
            <GroupPanel key={group.title} group={group} />
          ))}
        </>
      )}
    </QueryView>
  );
}

function GroupPanel({ group: { title, settings } }: { group: Group }) {
  return (
    <Panel title={title}>
      <dl className="settings-list">
        {settings.map(({ name, meaning, isSecret, isSet, value }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <p>
                {value !== null && <bdi className="setting-value">{value}</bdi>}{' '}
                <span className={isSet ? 'badge badge-good' : 'badge'}>{stateOf({ isSecret, isSet, value })}</span>
              </p>
              <p className="hint">
                <Meaning text={meaning} />
              </p>
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function stateOf({ isSecret, isSet, value }: Pick<Group['settings'][number], 'isSecret' | 'isSet' | 'value'>): string {
  if (isSet) return isSecret ? 'set, not shown' : 'set';
  return value === null ? 'not set' : 'default';
}

/** Shows the names that the text marks with backticks as code. */
function Meaning({ text }: { text: string }) {
  // Parts of a text never change their places.
  return text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={`${index} ${part}`}>{part}</code>));
}
