/** What a view shows when it fails, and when an address has no view. */
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Button } from '../ui/button.tsx';
import { Link } from '../ui/link.tsx';
import { ProblemView } from '../ui/problem-view.tsx';

const RELOADED = 'carillon.reloaded-at';

/** A reload that did not help is not repeated within this time. */
const RELOAD_AGAIN_MS = 30_000;

export function ErrorView({ error, reset }: ErrorComponentProps) {
  const isMissing = isMissingFile(error);
  useEffect(() => {
    // The service was upgraded while this page was open, and the old version's files are gone.
    if (!isMissing || Date.now() - Number(sessionStorage.getItem(RELOADED) ?? 0) < RELOAD_AGAIN_MS) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    location.reload();
  }, [isMissing]);
  return (
    <>
      <h1>This view failed</h1>
      <ProblemView failure={error} action={<Button onPress={reset}>Try again</Button>} />
    </>
  );
}

function isMissingFile(error: unknown): boolean {
  return error instanceof TypeError && /module|Importing|preload/i.test(error.message);
}

export function NotFoundView() {
  return (
    <>
      <h1>Not found</h1>
      <p>
        No view of the console has this address.{' '}
        <Link to="/" className="link">
          Go to Today
        </Link>
        .
      </p>
    </>
  );
}
