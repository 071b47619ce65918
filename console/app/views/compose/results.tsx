/** What happened to the text on each connection; during a send, what is known so far. */
import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '../../data/trpc.ts';
import { Link, OutsideLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { ItemProblem } from '../../ui/problem-view.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { SentResult } from './send.ts';
import type { Begun } from './send-composition.ts';

export function Results({ results }: { results: readonly SentResult[] }) {
  const failed = results.filter(({ result }) => result.status === 'failed');
  const toRepeat = failed.filter(({ result }) => result.error?.code !== 'outcome_unknown').length;
  return (
    <section className="results" aria-label="Results">
      <h2>Results</h2>
      <p role="status">
        {results.length - failed.length} of {results.length} accepted
        {failed.length > 0 && `, ${failed.length} failed`}.
      </p>
      {toRepeat > 0 && (
        <p className="hint">
          Only what failed is still chosen above. Change it, then send it again. Without a change, retry it under
          Details: a retry looks for an earlier send first.
        </p>
      )}
      <ul className="rows">
        {failed.map((sent) => (
          <Row key={keyOf(sent)} sent={sent} />
        ))}
        {results
          .filter(({ result }) => result.status !== 'failed')
          .map((sent) => (
            <Row key={keyOf(sent)} sent={sent} />
          ))}
      </ul>
    </section>
  );
}

function keyOf({ connection, result }: SentResult): string {
  return connection?.id ?? result.connectionSlug;
}

function Row({ sent: { result } }: { sent: SentResult }) {
  const { connectionSlug, status, url, postId, scheduledFor, warning, error } = result;
  return (
    <li>
      <p>
        <b>{connectionSlug}</b> <StatusBadge status={status} />{' '}
        {url !== null && <OutsideLink href={url}>See it there</OutsideLink>}{' '}
        {postId !== null && (
          <Link to="/posts/$postId" params={{ postId }} className="link">
            Details
          </Link>
        )}
      </p>
      {scheduledFor !== null && (
        <p>
          Goes out <Moment at={scheduledFor} />
        </p>
      )}
      {warning !== undefined && <p className="hint">{warning}</p>}
      {error !== null && <ItemProblem error={error} />}
    </li>
  );
}

/** How often the posts of a send are read while it runs, besides the events that change them. */
const READ_MS = 1_000;

/** The posts of a send that has no answer yet, each as soon as it is stored or settled. */
export function Progress({ newestId, connections }: Begun) {
  const { data } = useQuery(
    useTRPC().posts.list.queryOptions({ limit: 100 }, { refetchInterval: READ_MS, staleTime: 0, gcTime: 0 }),
  );
  // Ids grow with time.
  const isFresh = (id: string) => newestId !== null && id > newestId;
  const fresh = (data?.posts ?? []).filter(({ id, status }) => isFresh(id) && status !== 'draft');
  const bySlug = new Map(fresh.map((post) => [`${post.profileId} ${post.connectionSlug}`, post]));
  const rows = connections.map(({ id, slug, profileId }) => ({
    id,
    slug,
    status: bySlug.get(`${profileId} ${slug}`)?.status ?? null,
  }));
  const settled = rows.filter(({ status }) => status !== null && status !== 'processing').length;
  return (
    <section className="results" aria-label="Progress">
      <p role="status">
        {settled} of {rows.length} done.
      </p>
      <ul className="rows">
        {rows.map(({ id, slug, status }) => (
          <li key={id}>
            <b>{slug}</b> {status === null ? <span className="soft">waits</span> : <StatusBadge status={status} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
