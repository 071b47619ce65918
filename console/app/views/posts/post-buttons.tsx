/** What can be done with one post. */
import { useState } from 'react';
import { useCan } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Link } from '../../ui/link.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { FORCED_RETRY, hasUnknownOutcome, type Post, POST_ACTIONS, type PostAction } from './post-actions.ts';
import { usePostAction } from './use-post-action.ts';

export function PostButtons({ post }: { post: Post }) {
  const { mutate, isPending, error } = usePostAction(post.id);
  const [asked, setAsked] = useState<PostAction | null>(null);
  const canWrite = useCan('posts:write');
  const actions: PostAction[] = Object.values(POST_ACTIONS).filter((action) => action.appliesTo(post));
  if (post.status === 'failed' && hasUnknownOutcome(post)) actions.push(FORCED_RETRY);
  if (!canWrite) return null;
  return (
    <>
      <div className="actions">
        {actions.map((action) => (
          <Button
            key={action.label}
            isPending={isPending}
            look={action.isFinal ? 'plain' : 'primary'}
            onPress={() => (action.isFinal ? setAsked(action) : mutate(action))}
          >
            {action.label}
          </Button>
        ))}
        {post.status === 'draft' ? (
          <Link to="/compose" search={{ draft: post.id }} className="button button-primary">
            Edit in Compose
          </Link>
        ) : (
          <Link to="/compose" search={{ from: post.id }} className="button button-plain">
            Write a new post from it
          </Link>
        )}
      </div>
      {error !== null && <ProblemView failure={error} />}
      {asked !== null && (
        <ConfirmDialog
          isOpen
          title={`${asked.label}?`}
          action={asked.label}
          onConfirm={() => mutate(asked)}
          onClose={() => setAsked(null)}
        >
          <p>
            {asked === FORCED_RETRY
              ? 'Look on the platform first: the post may be there already.'
              : 'This cannot be undone.'}
          </p>
          <p className="post-text" dir="auto">
            {post.text.slice(0, 400)}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
