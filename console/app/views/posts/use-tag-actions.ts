/** Changes the tags of posts, and takes that back. Tags that others give or remove meanwhile stay as they are. */
import { useLists } from '../../data/live/use-lists.ts';
import type { Api } from '../../data/trpc.ts';
import type { BulkAction } from './bulk-actions.ts';
import { retag, type TagChange } from './tags.ts';

export function useTagActions() {
  const { showPost } = useLists();
  const change = async (api: Api, postId: string, wanted: TagChange) => {
    const { post, undo } = await retag(api, postId, wanted);
    showPost(post);
    return undo;
  };
  const restore = (undos: ReadonlyMap<string, TagChange>): BulkAction => ({
    label: 'Restore the tags',
    done: 'given back the earlier tags',
    appliesTo: ({ id }) => undos.has(id),
    run: (api, { id }) => change(api, id, undos.get(id) ?? { add: [], remove: [] }),
  });
  return (wanted: TagChange): BulkAction => {
    const undos = new Map<string, TagChange>();
    return {
      label: 'Change the tags',
      done: 'tagged',
      appliesTo: () => true,
      run: async (api, { id }) => undos.set(id, await change(api, id, wanted)),
      undo: () => restore(undos),
    };
  };
}
