/** Changes the tags of posts, and gives them back their earlier tags. */
import { useLists } from '../../data/live/use-lists.ts';
import type { Api } from '../../data/trpc.ts';
import type { BulkAction } from './bulk-actions.ts';
import type { Post } from './post-actions.ts';
import { changeTags, type TagChange } from './tags.ts';

export function useTagActions() {
  const { showPost } = useLists();
  const setTags = async (api: Api, postId: string, tags: readonly string[]) => {
    const { post } = await api.posts.setTags.mutate({ postId, tags: [...tags] });
    showPost(post);
  };
  const restore = (posts: readonly Post[]): BulkAction => {
    const earlier = new Map(posts.map(({ id, tags }) => [id, tags]));
    return {
      label: 'Restore the tags',
      done: 'given back the earlier tags',
      appliesTo: ({ id }) => earlier.has(id),
      run: (api, { id }) => setTags(api, id, earlier.get(id) ?? []),
    };
  };
  return (change: TagChange): BulkAction => ({
    label: 'Change the tags',
    done: 'tagged',
    appliesTo: () => true,
    run: (api, { id, tags }) => setTags(api, id, changeTags(tags, change)),
    undo: restore,
  });
}
