/** What happened to a post on each connection: sent, scheduled, stored as a draft, or failed. */
import type { Outputs } from '../../data/api-types.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { GoesOut } from '../goes-out.tsx';
import { ItemProblem } from '../item-problem.tsx';
import type { ChatViewProps } from '../mount.tsx';
import { OutsideLink } from '../outside-link.tsx';

type Result = Outputs['posts']['create']['results'][number];

/** The answer of `create_post`, or of `publish_draft` and `retry_post`. */
type ResultAnswer = { readonly results: readonly Result[] } | { readonly result: Result };

/** The status on a connection, or that its draft waits for an owner. */
type Outcome = Result['status'] | 'waiting';

const WORDS: Readonly<Record<Outcome, string>> = {
  sent: 'sent',
  scheduled: 'scheduled',
  draft: 'stored as drafts',
  waiting: 'waiting for approval',
  failed: 'failed',
};

export function ResultView(props: ChatViewProps<ResultAnswer>) {
  const { answer, input } = props;
  const results = 'results' in answer ? answer.results : [answer.result];
  // A failure is what a person has to do something about.
  const rows = results.toSorted((a, b) => Number(b.status === 'failed') - Number(a.status === 'failed'));
  return (
    <>
      {typeof input['text'] === 'string' && (
        <blockquote className="post-text" dir="auto">
          {input['text']}
        </blockquote>
      )}
      <p role="status">{summaryOf(results)}</p>
      <ul className="rows">
        {rows.map((result) => (
          <Row key={result.connectionSlug} result={result} {...props} />
        ))}
      </ul>
    </>
  );
}

function outcomeOf({ status, approval }: Result): Outcome {
  return approval?.state === 'pending' ? 'waiting' : status;
}

/** Such as "2 sent, 1 failed." */
function summaryOf(results: readonly Result[]): string {
  const counts = Object.entries(WORDS).flatMap(([outcome, words]) => {
    const count = results.filter((result) => outcomeOf(result) === outcome).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  return `${counts.join(', ')}.`;
}

function Row({ result, host, zone }: ChatViewProps<ResultAnswer> & { result: Result }) {
  const { connectionSlug, status, url, scheduledFor, threadCount, hasFirstComment, warning, error } = result;
  const also = [
    threadCount > 0 && `${threadCount} ${threadCount === 1 ? 'reply' : 'replies'}`,
    hasFirstComment && 'a first comment',
  ].filter((words) => words !== false);
  return (
    <li>
      <p>
        <b>
          <bdi>{connectionSlug}</bdi>
        </b>{' '}
        <StatusBadge status={status} />{' '}
        {url !== null && (
          <OutsideLink href={url} host={host}>
            See it there
          </OutsideLink>
        )}
      </p>
      {scheduledFor !== null && <GoesOut at={scheduledFor} zone={zone} />}
      {outcomeOf(result) === 'waiting' && <p className="hint">Nothing has gone out: an owner decides.</p>}
      {also.length > 0 && <p className="hint">With {also.join(' and ')}</p>}
      {warning !== undefined && (
        <p className="hint" dir="auto">
          {warning}
        </p>
      )}
      {error !== null && <ItemProblem error={error} />}
    </li>
  );
}
