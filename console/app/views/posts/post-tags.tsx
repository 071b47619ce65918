/** The tags of a post, which can change in any status. */
import { useMutation } from '@tanstack/react-query';
import { useLists } from '../../data/live/use-lists.ts';
import { useTRPC } from '../../data/trpc.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { Link } from '../../ui/link.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { toast } from '../../ui/toasts.tsx';
import type { Post } from './post-actions.ts';
import { TAGS_MAX } from './tags.ts';
import { TagsField } from './tags-field.tsx';

export function PostTags({ post: { id: postId, tags } }: { post: Pick<Post, 'id' | 'tags'> }) {
  const { refreshPost } = useLists();
  const setTags = useMutation(
    useTRPC().posts.setTags.mutationOptions({ onSettled: () => refreshPost(postId).catch(() => undefined) }),
  );
  const change = (next: string[]) =>
    setTags.mutate(
      { postId, tags: next },
      { onSuccess: () => toast('The tags are changed.', () => setTags.mutate({ postId, tags })) },
    );
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
          onChange={change}
        />
      </Allowed>
      {setTags.error !== null && <ProblemView failure={setTags.error} />}
    </Panel>
  );
}
