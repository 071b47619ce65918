/** One post: its text with all parts, what can be done with it, its tags, attempts and events, and its metrics over time. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useNames } from '../../data/connections.ts';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { useTitle } from '../../shell/use-title.ts';
import { Link, OutsideLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ItemProblem } from '../../ui/problem-view.tsx';
import { isGone, QueryView } from '../../ui/query-view.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { PostAttempts } from './post-attempts.tsx';
import { PostButtons } from './post-buttons.tsx';
import { PostEvents } from './post-events.tsx';
import { PostMetrics } from './post-metrics.tsx';
import { PostTags } from './post-tags.tsx';
import './posts.css';

const route = getRouteApi('/posts/$postId');

export type PostDetail = Outputs['posts']['get']['post'];

export function PostView() {
  const { postId } = route.useParams();
  const query = useQuery(useTRPC().posts.get.queryOptions({ postId }));
  const wasDeleted = isGone(query) && query.data !== undefined;
  const post = wasDeleted ? undefined : query.data?.post;
  const title = post === undefined ? 'Post' : `Post to ${post.connectionSlug}`;
  useTitle(title);
  return (
    <>
      <p>
        <Link to="/posts" className="link">
          All posts
        </Link>
      </p>
      <header className="view-head">
        <h1>{title}</h1>
        {post !== undefined && <StatusBadge status={post.status} />}
      </header>
      {wasDeleted ? (
        <p role="status">This draft is gone: it was deleted, or Compose replaced it when it saved the text again.</p>
      ) : (
        <QueryView what="the post" query={query}>
          {(data) => <PostPanels post={data.post} />}
        </QueryView>
      )}
    </>
  );
}

function PostPanels({ post }: { post: PostDetail }) {
  const names = useNames();
  return (
    <>
      {post.error !== null && <ItemProblem error={post.error} />}
      <PostButtons post={post} />
      <Panel title="Text">
        <PostParts post={post} />
      </Panel>
      <Panel title="Facts">
        <dl className="facts-list">
          <Fact name="Platform">{names.platform(post.platformId)}</Fact>
          <Fact name="Written">
            <Moment at={post.createdAt} />
          </Fact>
          {post.scheduledFor !== null && (
            <Fact name="Scheduled for">
              <Moment at={post.scheduledFor} />
            </Fact>
          )}
          {post.sentAt !== null && (
            <Fact name="Sent">
              <Moment at={post.sentAt} />
            </Fact>
          )}
          {post.deletedAt !== null && (
            <Fact name="Taken down">
              <Moment at={post.deletedAt} />
            </Fact>
          )}
          {post.url !== null && (
            <Fact name="Address">
              <OutsideLink href={post.url}>{post.url}</OutsideLink>
            </Fact>
          )}
          {post.createdBy !== null && (
            <Fact name="Created by">
              <bdi>{post.createdBy.name ?? 'what has ended since'}</bdi>
              {post.createdBy.onBehalfOf !== null && (
                <>
                  {' '}
                  for <bdi>{post.createdBy.onBehalfOf}</bdi>
                </>
              )}
            </Fact>
          )}
          {post.approval !== null && (
            <Fact name="Approval">
              <ApprovalWords approval={post.approval} />
            </Fact>
          )}
          <Fact name="Times sent">{post.tries}</Fact>
          <Fact name="Id">
            <code>{post.id}</code>
          </Fact>
        </dl>
      </Panel>
      <PostTags post={post} />
      <PostAttempts postId={post.id} />
      <PostEvents postId={post.id} />
      {post.sentAt !== null && <PostMetrics postId={post.id} />}
    </>
  );
}

function ApprovalWords({ approval }: { approval: NonNullable<PostDetail['approval']> }) {
  const { state, decidedBy, decidedAt, reason } = approval;
  if (state === 'pending') {
    return (
      <Link to="/approvals" className="link">
        waits for a person
      </Link>
    );
  }
  return (
    <>
      {state}
      {decidedBy !== null && (
        <>
          {' '}
          by <bdi>{decidedBy.name}</bdi>
        </>
      )}{' '}
      {decidedAt !== null && <Moment at={decidedAt} />}
      {reason !== null && (
        <>
          : <bdi>{reason}</bdi>
        </>
      )}
    </>
  );
}

function PostParts({ post }: { post: PostDetail }) {
  const { text, originalText, thread, threadCount, firstComment, hasFirstComment, media, status } = post;
  const isOut = status === 'sent' || status === 'deleted';
  return (
    <>
      <p className="post-text" dir="auto">
        {text}
      </p>
      {originalText !== text && (
        <details>
          <summary>As it was written</summary>
          <p className="post-text" dir="auto">
            {originalText}
          </p>
        </details>
      )}
      {media.length > 0 && (
        <ul className="rows">
          {media.map(({ id, altText, width, height, contentType }) => (
            <li key={id}>
              Image, {width} × {height}, {contentType}: <bdi>{altText ?? 'no description'}</bdi>
            </li>
          ))}
        </ul>
      )}
      {thread.length > 0 && (
        <ol className="thread">
          {thread.map((reply, index) => (
            // Replies have no id, and their order never changes.
            <li key={`${index} ${reply}`}>
              <p className="post-text" dir="auto">
                {reply}
              </p>
              {isOut && index >= threadCount && <p className="hint">This reply is not up.</p>}
            </li>
          ))}
        </ol>
      )}
      {firstComment !== null && (
        <>
          <h3>First comment</h3>
          <p className="post-text" dir="auto">
            {firstComment}
          </p>
          {isOut && !hasFirstComment && <p className="hint">This comment is not up.</p>}
        </>
      )}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
