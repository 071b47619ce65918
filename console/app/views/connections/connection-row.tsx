/** A connection in the list: what it is, whether its login works, and its next free slot. */
import type { Connection } from '../../data/connections.ts';
import { Link } from '../../ui/link.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { HealthBadge, LoginHealth } from './login-health.tsx';
import { ReconnectButton } from './reconnect-button.tsx';

export interface ConnectionRowProps {
  readonly connection: Connection;
  /** Name of the platform. */
  readonly platform: string;
  /** Name of the profile; null for one of the account's own. */
  readonly profile: string | null;
}

export function ConnectionRow({ connection, platform, profile }: ConnectionRowProps) {
  const { id, slug, handle, description, reconnectRequired, credentialEndsAt } = connection;
  const needsCare = reconnectRequired !== null || credentialEndsAt !== null;
  return (
    <li className="row-with-action">
      <div>
        <p>
          <Link to="/connections/$connectionId" params={{ connectionId: id }} className="link">
            <b>{slug}</b>
          </Link>{' '}
          <span className="soft">{platform}</span> <HealthBadge connection={connection} />
        </p>
        <p className="hint">
          <bdi>{description}</bdi>
          {!description.includes(handle) && (
            <>
              , <bdi>{handle}</bdi>
            </>
          )}
          {profile !== null && (
            <>
              , of <bdi>{profile}</bdi>
            </>
          )}
        </p>
        {needsCare && (
          <p className={reconnectRequired === null ? 'hint' : 'hint bad'}>
            <LoginHealth connection={connection} />
          </p>
        )}
        <p className="hint">
          <NextSlot connection={connection} />
        </p>
      </div>
      {needsCare && <ReconnectButton connection={connection} />}
    </li>
  );
}

/** The slot that the next queued post would take, with a link to the queue. */
export function NextSlot({ connection: { id, slug, nextSlotAt, queuePaused } }: { connection: Connection }) {
  const link = (text: string) => (
    <Link to="/queues" search={{ connection: id }} className="link" aria-label={`${text} of ${slug}`}>
      {text}
    </Link>
  );
  if (nextSlotAt === null) return <>No free slot. {link('Queue')}</>;
  return (
    <>
      Next free slot <QuietMoment at={nextSlotAt} />
      {queuePaused && ', paused'}. {link('Queue')}
    </>
  );
}
