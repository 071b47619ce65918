/** Says plainly when the page does not show changes as they happen. */
import { useEffect, useState } from 'react';
import { type LiveStatus, useLiveStatus } from '../data/live/live-provider.tsx';

const SENTENCES: Readonly<Partial<Record<LiveStatus, string>>> = {
  offline: 'You are offline. What you see may be out of date, and nothing can be sent.',
  reconnecting: 'The connection to the service was lost. Trying again; what you see may be out of date.',
  polling: 'Changes show up every half minute: this key may not read events, or too many tabs do.',
};

/** A connection that comes back at once is not worth a sentence. */
const PATIENCE_MS = 1_500;

export function LiveBanner() {
  const status = useLiveStatus();
  const [shown, setShown] = useState<LiveStatus>(status);
  useEffect(() => {
    const timer = setTimeout(() => setShown(status), status === 'reconnecting' ? PATIENCE_MS : 0);
    return () => clearTimeout(timer);
  }, [status]);
  const sentence = SENTENCES[shown];
  return (
    <div role="status" className="live-banner-place">
      {sentence !== undefined && <p className={`live-banner live-${shown}`}>{sentence}</p>}
    </div>
  );
}
