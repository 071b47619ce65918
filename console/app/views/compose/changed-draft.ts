/** A draft that was changed elsewhere since a text was saved as it: it is no longer a draft of that text. */
import { contentOf, type Post } from './beginning.ts';
import { type Composition, type Content, contentIn } from './composition.ts';
import { type Directory, storedFor } from './requests.ts';

/** Whether a composition has this draft, which holds neither what was saved as it nor what is written. */
export function isChangedSince(composition: Composition, post: Post, platforms: Directory['platforms']): boolean {
  if (!Object.values(composition.drafts).includes(post.id)) return false;
  const freed = new Set(post.media.flatMap(({ id, url }) => (url === null ? [id] : [])));
  const storedAs = ({ images, ...content }: Content) => {
    // An image that was freed cannot be used again, here as in what a draft begins.
    const left = images.filter(({ id }) => !freed.has(id));
    return JSON.stringify(storedFor({ ...content, images: left }, post.platformId, platforms));
  };
  const saved = composition.saves.filter(({ ids }) => ids.includes(post.id));
  // What is written counts too: then the draft is still one of this text.
  const known = [composition, ...saved.map(({ content }) => contentIn(content))];
  return !known.map(storedAs).includes(storedAs(contentOf(post)));
}

/** What changes in a composition that no longer has the draft. */
export function withoutDraft({ drafts, pending }: Composition, postId: string): Partial<Composition> {
  const kept = pending?.requests.filter(({ input }) => input.replaces?.includes(postId) !== true) ?? [];
  return {
    drafts: Object.fromEntries(Object.entries(drafts).filter(([, id]) => id !== postId)),
    savedAs: null,
    // A save that would still delete the draft. It was not carried out, as the draft is there.
    ...(pending?.kind === 'save' && { pending: kept.length === 0 ? null : { ...pending, requests: kept } }),
  };
}
