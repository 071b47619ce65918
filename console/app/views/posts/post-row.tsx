/** One post in the list. */
import { memo, type Ref } from 'react';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Link } from '../../ui/link.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { dayAndTime } from '../../ui/times.ts';
import type { Post } from './post-actions.ts';

/** Longer texts are cut in the list. */
const SHOWN_OF_TEXT = 280;

interface PostRowProps {
  readonly ref: Ref<HTMLElement>;
  readonly post: Post;
  /** Name of its platform; null when the connection is gone. */
  readonly platform: string | null;
  readonly index: number;
  /** -1 while it is not known. */
  readonly total: number;
  readonly top: number;
  readonly isSelected: boolean;
  onToggle(): void;
}

function Row({ ref, post, platform, index, total, top, isSelected, onToggle }: PostRowProps) {
  const words = post.text.slice(0, SHOWN_OF_TEXT);
  return (
    <article
      ref={ref}
      data-index={index}
      aria-posinset={index + 1}
      aria-setsize={total}
      aria-labelledby={`post-${post.id}`}
      tabIndex={0}
      className="post-row"
      style={{ transform: `translateY(${top}px)` }}
    >
      <Checkbox aria-label={`Select ${words.slice(0, 60)}`} isSelected={isSelected} onChange={onToggle} />
      <div className="post-row-main">
        <p className="post-row-text">
          <Link id={`post-${post.id}`} to="/posts/$postId" params={{ postId: post.id }} className="post-link">
            <bdi>{words}</bdi>
          </Link>
        </p>
        <p className="post-row-facts">
          <StatusBadge status={post.status} /> <b>{post.connectionSlug}</b>
          {platform !== null && <span>{platform}</span>}
          <When post={post} />
          {post.status === 'draft' && (
            <Link to="/compose" search={{ draft: post.id }} className="link" aria-label={`Edit ${words.slice(0, 60)}`}>
              Edit
            </Link>
          )}
          {post.tags.map((tag) => (
            <Link key={tag} to="/posts" search={{ tag: [tag] }} className="tag">
              #{tag}
            </Link>
          ))}
        </p>
        {post.error !== null && <p className="post-row-error">{post.error.message}</p>}
      </div>
    </article>
  );
}

function When({ post: { status, scheduledFor, createdAt } }: { post: Post }) {
  if (status === 'scheduled' && scheduledFor !== null) return <span>goes out {dayAndTime(scheduledFor)}</span>;
  return (
    <span>
      written <QuietMoment at={createdAt} />
    </span>
  );
}

/** Rows do not change while the list scrolls. */
export const PostRow = memo(Row, (before, after) =>
  (['post', 'platform', 'index', 'total', 'top', 'isSelected'] as const).every((name) => before[name] === after[name]),
);
