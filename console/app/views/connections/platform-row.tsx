/** A platform, with the ways to connect an account of it, or the settings that the install lacks for it. */
import { type Outputs } from '../../data/trpc.ts';
import { useCan } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { Link, OutsideLink } from '../../ui/link.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { useConnect } from './use-connect.ts';

type Platform = Outputs['platforms']['list']['platforms'][number];

export interface PlatformRowProps {
  readonly platform: Platform;
  /** Undefined for own accounts. */
  readonly profileId: string | undefined;
}

export function PlatformRow({ platform, profileId }: PlatformRowProps) {
  const { id, name, connect, missingSettings } = platform;
  const connecting = useConnect();
  const mayConnect = useCan('connections:write');
  const profile = profileId !== undefined && { profileId };
  return (
    <li className="row-with-action">
      <div>
        <h3>{name}</h3>
        {missingSettings.length > 0 && <Missing platform={platform} />}
        {connecting.error !== null && <ProblemView failure={connecting.error} />}
      </div>
      <div className="actions">
        {mayConnect && connect.includes('page') && (
          <Button
            look="primary"
            aria-label={`Connect ${name}`}
            // The page that it opens replaces this one.
            isPending={connecting.isPending || connecting.isSuccess}
            onPress={() => connecting.mutate({ platform: id, ...profile })}
          >
            Connect
          </Button>
        )}
        {mayConnect && connect.includes('credentials') && (
          <Link
            to="/connections/new"
            search={{ credentials: id, ...(profileId !== undefined && { profile: profileId }) }}
            className="button button-plain"
            aria-label={`Type a login of ${name}`}
          >
            Type a login
          </Link>
        )}
      </div>
    </li>
  );
}

function Missing({ platform: { name, missingSettings, registerAppAt } }: { platform: Platform }) {
  return (
    <p className="hint">
      The operator of this install must set{' '}
      {missingSettings.map((setting, index) => (
        <span key={setting}>
          {index > 0 && ' and '}
          <code>{setting}</code>
        </span>
      ))}
      .{' '}
      {registerAppAt !== null && (
        <>
          They come from <OutsideLink href={registerAppAt}>{new URL(registerAppAt).host}</OutsideLink>.{' '}
        </>
      )}
      <Link to="/settings" className="link" aria-label={`Settings for ${name}`}>
        Settings
      </Link>
    </p>
  );
}
