/** What the operator must do for each platform: which settings, where they come from, and what to register there. */
import type { Outputs } from '../../data/trpc.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Link, OutsideLink } from '../../ui/link.tsx';
import { Panel } from '../../ui/panel.tsx';

type Setup = Outputs['people']['readSettings']['platforms'][number];

export function PlatformSetups({ platforms }: { platforms: readonly Setup[] }) {
  const ready = platforms.filter(({ isReady }) => isReady).length;
  return (
    <Panel
      title="Platforms"
      aside={
        <Link to="/connections/new" className="link">
          Connect an account
        </Link>
      }
    >
      <p>
        {ready} of {platforms.length} platforms are ready.
      </p>
      <ul className="rows">
        {platforms.map((platform) => (
          <SetupRow key={platform.id} platform={platform} />
        ))}
      </ul>
    </Panel>
  );
}

function SetupRow({ platform }: { platform: Setup }) {
  const { name, isReady, missingSettings, optionalSettings, registerAppAt, redirectUri, docs } = platform;
  return (
    <li>
      <h3>
        {name}{' '}
        <span className={isReady ? 'badge badge-good' : 'badge badge-wait'}>{isReady ? 'ready' : 'not set up'}</span>
      </h3>
      {missingSettings.length > 0 && (
        <p>
          Missing: <Names names={missingSettings} />.
        </p>
      )}
      {optionalSettings.length > 0 && (
        <p className="hint">
          Also not set: <Names names={optionalSettings} />.
        </p>
      )}
      {(!isReady || optionalSettings.length > 0) && (
        <>
          {registerAppAt !== null && (
            <p className="hint">
              They come from <OutsideLink href={registerAppAt}>{new URL(registerAppAt).host}</OutsideLink>. Read{' '}
              <code>{docs}</code> first.
            </p>
          )}
          {redirectUri !== null && (
            <CopyField
              label={`Redirect address for ${name}`}
              value={redirectUri}
              hint="Enter it in the settings of the app."
              focusesCopy={false}
            />
          )}
        </>
      )}
    </li>
  );
}

function Names({ names }: { names: readonly string[] }) {
  return names.map((name, index) => (
    <span key={name}>
      {index > 0 && ', '}
      <code>{name}</code>
    </span>
  ));
}
