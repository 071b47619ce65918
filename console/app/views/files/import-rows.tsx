/** The rows of an import as a table: the line, its result, and each problem with its field. */
import { Link } from '../../ui/link.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { dayAndTime } from '../../ui/times.ts';
import { type ImportRow, problemsOf } from './import-words.ts';

export function ImportRows({ rows }: { rows: readonly ImportRow[] }) {
  if (rows.length === 0) return <p>No row has this result.</p>;
  return (
    <div className="import-rows">
      <table>
        <caption className="visually-hidden">Rows in the order of the file</caption>
        <thead>
          <tr>
            <th scope="col">Row</th>
            <th scope="col">Result</th>
            <th scope="col">Field</th>
            <th scope="col">Problem</th>
            <th scope="col">Posts</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.row} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row }: { row: ImportRow }) {
  const problems = problemsOf(row);
  const fields = [...new Set(problems.flatMap(({ field }) => field ?? []))];
  return (
    <tr>
      <th scope="row" data-name="Row">
        {row.row}
      </th>
      <td data-name="Result">
        <StatusBadge status={row.status} />
      </td>
      <td data-name="Field">{fields.length > 0 && <code>{fields.join(', ')}</code>}</td>
      <td data-name="Problem">
        {problems.length > 0 && (
          <ul>
            {problems.map(({ slug, message }) => (
              <li key={`${slug} ${message}`}>
                {slug !== null && (
                  <>
                    <bdi>{slug}</bdi>:{' '}
                  </>
                )}
                <span dir="auto">{message}</span>
              </li>
            ))}
          </ul>
        )}
      </td>
      <td data-name="Posts">
        <Posts results={row.results.filter(({ error }) => error === null)} />
      </td>
    </tr>
  );
}

/** Where each post goes, with a link to it once there is one. */
function Posts({ results }: { results: ImportRow['results'] }) {
  if (results.length === 0) return null;
  return (
    <ul>
      {results.map(({ connectionSlug, postId, status, scheduledFor }) => (
        <li key={connectionSlug}>
          {postId === null ? (
            <bdi>{connectionSlug}</bdi>
          ) : (
            <Link to="/posts/$postId" params={{ postId }} className="link">
              <bdi>{connectionSlug}</bdi>
            </Link>
          )}{' '}
          {status !== 'valid' && <StatusBadge status={status} />}{' '}
          {scheduledFor !== null && <span className="soft">{dayAndTime(scheduledFor)}</span>}
        </li>
      ))}
    </ul>
  );
}
