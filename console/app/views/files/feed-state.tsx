/** When a feed was polled and will be, and in words what went wrong. */
import { QuietMoment } from '../../ui/moment.tsx';
import { DISABLED, type Feed } from './feed-words.ts';

export function FeedState({ feed }: { feed: Feed }) {
  const { lastPolledAt, lastOkAt, nextPollAt, lastError, disabledAt, disabledReason } = feed;
  return (
    <>
      <p className="hint">
        {lastPolledAt === null ? (
          'Not polled yet'
        ) : (
          <>
            Polled <QuietMoment at={lastPolledAt} />
          </>
        )}
        {nextPollAt !== null && (
          <>
            , next <QuietMoment at={nextPollAt} />
          </>
        )}
        .
      </p>
      {disabledAt !== null && disabledReason !== null && (
        <p>
          Disabled <QuietMoment at={disabledAt} />. {DISABLED[disabledReason]}
        </p>
      )}
      {lastError !== null && (
        <p className="problem">
          The latest poll failed: <span dir="auto">{lastError}</span>{' '}
          {lastOkAt === null ? (
            'None has succeeded yet.'
          ) : (
            <>
              The last success was <QuietMoment at={lastOkAt} />.
            </>
          )}
        </p>
      )}
    </>
  );
}
