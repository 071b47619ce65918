/** Connects the account of a connection again, in one press, where the platform has a page for it. */
import { type Connection, usePlatforms } from '../../data/connections.ts';
import { useCan } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { useConnect } from './use-connect.ts';

export interface ReconnectButtonProps {
  readonly connection: Connection;
  readonly look?: 'primary' | 'plain';
}

export function ReconnectButton({
  connection: { id, slug, platformId, profileId },
  look = 'plain',
}: ReconnectButtonProps) {
  const platform = usePlatforms().data?.platforms.find((one) => one.id === platformId);
  const connecting = useConnect();
  const mayConnect = useCan('connections:write');
  if (platform === undefined || !mayConnect) return null;
  if (!platform.connect.includes('page')) {
    return (
      <Link
        to="/connections/new"
        search={{ credentials: platformId, ...(profileId !== null && { profile: profileId }) }}
        className={`button button-${look}`}
        aria-label={`Reconnect ${slug}`}
      >
        Reconnect
      </Link>
    );
  }
  return (
    <>
      <Button
        look={look}
        aria-label={`Reconnect ${slug}`}
        // The page that it opens replaces this one.
        isPending={connecting.isPending || connecting.isSuccess}
        onPress={() => connecting.mutate({ reconnectConnectionId: id })}
      >
        Reconnect
      </Button>
      {connecting.error !== null && <ProblemView failure={connecting.error} />}
    </>
  );
}
