/** Shows a failure in the words of the error table: what happened, what to do, and where to read more. */
import type { ReactNode } from 'react';
import { hintOf, problemOf } from '../data/problem.ts';
import { TriangleAlert } from './icons.tsx';
import { ServerLink } from './link.tsx';

/** @param action what the person can do about it here, such as a button */
export function ProblemView({ failure, action }: { failure: unknown; action?: ReactNode }) {
  const { code, message, hint, requestId } = problemOf(failure);
  return (
    <div className="problem" role="alert">
      <ProblemText code={code} message={message} hint={hint} />
      {requestId !== null && (
        <p className="hint">
          Quote this id in a report: <code>{requestId}</code>
        </p>
      )}
      {action !== undefined && <div className="actions">{action}</div>}
    </div>
  );
}

/** Shows why a post failed. */
export function ItemProblem({ error }: { error: { readonly code: string; readonly message: string } }) {
  return (
    <div className="problem">
      <ProblemText code={error.code} message={error.message} hint={hintOf(error.code)} />
    </div>
  );
}

function ProblemText({ code, message, hint }: { code: string | null; message: string; hint: string | null }) {
  return (
    <>
      <p className="problem-message">
        <TriangleAlert aria-hidden size={18} />
        <span dir="auto">{message}</span>
      </p>
      {hint !== null && <p className="hint">{hint}</p>}
      {code !== null && (
        <p className="hint">
          More on{' '}
          <ServerLink href={`/docs/errors#${encodeURIComponent(code)}`}>
            <code>{code}</code>
          </ServerLink>
        </p>
      )}
    </>
  );
}
