/** The posts that wait for a person: what, where, when, by whom and why. The person decides in the console, not in the chat. */
import type { Outputs } from '../../data/api-types.ts';
import { zonedTime } from '../../ui/day-words.ts';
import type { ChatViewProps } from '../mount.tsx';
import { OutsideLink } from '../outside-link.tsx';

type Listed = Outputs['approvals']['list'];
type Request = Listed['approvals'][number];

export function ApprovalsView({ answer, host, zone }: ChatViewProps<Listed>) {
  const { approvals, nextCursor, consoleUrl } = answer;
  const pending = approvals.filter(({ approval }) => approval.state === 'pending').length;
  return (
    <>
      <p role="status">
        {approvals.length === 0 ? 'Nothing waits for approval.' : `${pending} of these wait for approval.`}
        {nextCursor !== null && ' There are more.'}
      </p>
      <ul className="rows">
        {approvals.map((request) => (
          <Row key={request.id} request={request} zone={zone} />
        ))}
      </ul>
      {pending > 0 && (
        <p>
          An owner decides:{' '}
          <OutsideLink href={consoleUrl} host={host}>
            Open the approvals
          </OutsideLink>
        </p>
      )}
    </>
  );
}

function Row({ request, zone }: { request: Request; zone: string }) {
  const { connectionSlug, approval, content, previousContent } = request;
  const images = content.media.length;
  return (
    <li>
      <p>
        <b>
          <bdi>{connectionSlug}</bdi>
        </b>{' '}
        <span className="badge">{approval.state}</span>
      </p>
      <blockquote className="post-text" dir="auto">
        {content.text}
      </blockquote>
      {content.thread.map((reply, index) => (
        // eslint-disable-next-line react/no-array-index-key -- replies have no ids, and do not change
        <blockquote key={index} className="post-text" dir="auto">
          {reply}
        </blockquote>
      ))}
      {content.firstComment !== null && (
        <p className="hint">
          First comment: <bdi>{content.firstComment}</bdi>
        </p>
      )}
      {images > 0 && (
        <p className="hint">
          With {images} {images === 1 ? 'image' : 'images'}:{' '}
          <bdi>{content.media.map(({ altText }) => altText ?? 'not described').join('; ')}</bdi>
        </p>
      )}
      {previousContent !== null && previousContent.text !== content.text && (
        <p className="hint">
          Before: <bdi>{previousContent.text}</bdi>
        </p>
      )}
      <p className="hint">
        {whenWords(approval.plan, zone)} Asked by <bdi>{approval.requestedBy.name}</bdi>
        {approval.state === 'pending' && <>, until {zonedTime(Date.parse(approval.expiresAt), zone)}</>}.
      </p>
      {approval.reason !== null && (
        <p className="hint" dir="auto">
          {approval.reason}
        </p>
      )}
    </li>
  );
}

function whenWords({ scheduledFor, queue }: Request['approval']['plan'], zone: string): string {
  if (scheduledFor !== null) return `Goes out ${zonedTime(Date.parse(scheduledFor), zone)} (${zone}).`;
  return queue ? 'Takes the next slot of the queue.' : 'Goes out when it is approved.';
}
