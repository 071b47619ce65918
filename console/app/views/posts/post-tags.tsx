/** The tags of a post, which can change in any status. */
import { useMutation } from '@tanstack/react-query';
import { useLists } from '../../data/live/use-lists.ts';
import { useTRPCClient } from '../../data/trpc.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { Link } from '../../ui/link.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useFailureToast } from '../../ui/use-failure-toast.ts';
import type { Post } from './post-actions.ts';
import { retag, type TagChange, tagChange, TAGS_MAX } from './tags.ts';
import { TagsField } from './tags-field.tsx';

export function PostTags({ post: { id: postId, tags } }: { post: Pick<Post, 'id' | 'tags'> }) {
  const api = useTRPCClient();
  const { refreshPost } = useLists();
  const { mutate, error } = useMutation({
    ...useFailureToast('The tags were not changed.'),
    // One after the other: each starts from the tags that the one before has left.
    scope: { id: `tags ${postId}` },
    mutationFn: ({ change }: { readonly change: TagChange; readonly isUndo: boolean }) => retag(api, postId, change),
    // Not in the call of `mutate`, where only the latest of several changes is reported.
    onSuccess: ({ undo }, { isUndo }) => {
      if (!isUndo) toast('The tags are changed.', () => mutate({ change: undo, isUndo: true }));
    },
    onSettled: () => refreshPost(postId).catch(() => undefined),
  });
  return (
    <Panel title="Tags">
      {tags.length > 0 && (
        <p>
          Posts with the same tag:{' '}
          {tags.map((tag) => (
            <Link key={tag} to="/posts" search={{ tag: [tag] }} className="tag">
              #{tag}
            </Link>
          ))}
        </p>
      )}
      <Refusal of="posts:write" />
      <Allowed to="posts:write">
        <TagsField
          label={`Add tags, at most ${TAGS_MAX} in all`}
          tags={tags}
          removeLabel={(tag) => `Remove the tag ${tag}`}
          onChange={(next) => mutate({ change: tagChange(tags, next), isUndo: false })}
        />
      </Allowed>
      {error !== null && <ProblemView failure={error} />}
    </Panel>
  );
}
