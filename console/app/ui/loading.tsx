/** Shown while a view or a part of it loads. It appears after a moment, so that fast answers do not flicker. */
import { ProgressBar } from 'react-aria-components/ProgressBar';

export function Loading({ what }: { what: string }) {
  return (
    <ProgressBar className="loading" isIndeterminate aria-label={`Loading ${what}`}>
      <span className="loading-bar" />
    </ProgressBar>
  );
}
