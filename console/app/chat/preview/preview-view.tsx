/** How a post looks on each connection, and whether a send to it would be accepted. */
import { useId, useState } from 'react';
import { CircleCheck } from '../../ui/icons.tsx';
import { PostLook } from '../../ui/post-look.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { GoesOut } from '../goes-out.tsx';
import { ItemProblem } from '../item-problem.tsx';
import type { ChatViewProps } from '../mount.tsx';
import { OutsideLink } from '../outside-link.tsx';
import { type Preview, type PreviewAnswer, previewsOf } from './previews.ts';
import { useDirectory } from './use-directory.ts';

export function PreviewView(props: ChatViewProps<PreviewAnswer>) {
  const { answer, input } = props;
  const previews = previewsOf(answer, input);
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const shown = previews[chosen];
  if (shown === undefined) return <p className="hint">There is no post in this answer.</p>;
  const refused = previews.filter(({ error }) => error !== null).length;
  return (
    <>
      {previews.length > 1 && (
        <>
          <p role="status">
            {previews.length - refused} of {previews.length} connections would accept this post.
          </p>
          <label className="choice" htmlFor={id}>
            <span>Connection</span>
            <select id={id} value={chosen} onChange={({ target }) => setChosen(Number(target.value))}>
              {previews.map(({ slug, error }, index) => (
                <option key={slug} value={index}>
                  {error === null ? slug : `${slug} (refused)`}
                </option>
              ))}
            </select>
          </label>
        </>
      )}
      <Shown preview={shown} {...props} />
    </>
  );
}

function Shown({ preview, host, state, zone }: ChatViewProps<PreviewAnswer> & { preview: Preview }) {
  const directory = useDirectory(host, state.canCallTools);
  const { slug, profileId, parts, images, facts, error, status, url, scheduledFor } = preview;
  const connection = directory.find((one) => one.slug === slug && one.profileId === profileId);
  const [post, ...replies] = parts;
  const pictures = images.length > 0 && (
    <ul className="picture-notes" aria-label="Images">
      {images.map((words, index) => (
        // Images may say the same about themselves.
        // eslint-disable-next-line react/no-array-index-key
        <li key={index} dir="auto">
          {words}
        </li>
      ))}
    </ul>
  );
  return (
    <section aria-label={slug}>
      <PostLook
        platformId={preview.platformId ?? connection?.platformId ?? ''}
        slug={slug}
        description={connection?.description ?? ''}
        parts={post === undefined ? [] : [{ ...post, pictures }, ...replies]}
      />
      <p>
        {status !== null && <StatusBadge status={status} />}
        {status === null && error === null && (
          <span className="good">
            <CircleCheck aria-hidden size={16} /> A send would be accepted.
          </span>
        )}{' '}
        {url !== null && (
          <OutsideLink href={url} host={host}>
            See it there
          </OutsideLink>
        )}
      </p>
      {scheduledFor !== null && <GoesOut at={scheduledFor} zone={zone} />}
      {facts.length > 0 && (
        <ul className="facts">
          {facts.map((words) => (
            <li key={words} dir="auto">
              {words}
            </li>
          ))}
        </ul>
      )}
      {error !== null && <ItemProblem error={error} />}
    </section>
  );
}
