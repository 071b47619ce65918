/** The health of a login: a badge, and a sentence that says since when, until when and why. */
import type { Connection } from '../../data/connections.ts';
import { QuietMoment, useNow } from '../../ui/moment.tsx';
import { HEALTH_TONES, HEALTH_WORDS, healthOf } from './health.ts';

export function HealthBadge({ connection }: { connection: Connection }) {
  const health = healthOf(connection, useNow());
  return <span className={HEALTH_TONES[health]}>{HEALTH_WORDS[health]}</span>;
}

export function LoginHealth({ connection }: { connection: Connection }) {
  const { reconnectRequired, credentialEndsAt, credentialRenewsAt } = connection;
  const now = useNow();
  if (reconnectRequired !== null) {
    return (
      <>
        Nothing goes out since <QuietMoment at={reconnectRequired.since} />:{' '}
        <span dir="auto">{reconnectRequired.reason}</span>
      </>
    );
  }
  if (credentialEndsAt !== null) {
    const isOver = new Date(credentialEndsAt).getTime() <= now;
    return (
      <>
        The login {isOver ? 'ended' : 'works, and ends'} <QuietMoment at={credentialEndsAt} />. The service cannot renew
        it: reconnect the account{isOver ? '' : ' before'}.
      </>
    );
  }
  if (credentialRenewsAt !== null) {
    return (
      <>
        The login works. The service renews it automatically, next <QuietMoment at={credentialRenewsAt} />.
      </>
    );
  }
  return <>The login works, and no end of it is known.</>;
}
