/** Begins with what the address brings: the content of a post, a draft to continue, or connections, a time and a text. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import type { Connection } from '../../data/connections.ts';
import { useTRPC } from '../../data/trpc.ts';
import { toast } from '../../ui/toasts.tsx';
import { beginWithPost } from './begin-with-post.ts';
import { isContinued, readingOf, readPost } from './beginning.ts';
import { isBlank, newComposition } from './composition.ts';
import type { Directory } from './requests.ts';
import { type ComposeSearch, timeFields } from './search.ts';
import type { CompositionStore } from './store.ts';

const route = getRouteApi('/compose');

/** @returns the failure to read the post that the address names; null when there is none */
export function useBeginning(store: CompositionStore, { connections, platforms }: Directory): unknown {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const postId = search.draft ?? search.from;
  const { data, error, isFetchedAfterMount } = useQuery(readingOf(useTRPC(), search));
  const post = postId === undefined ? undefined : readPost({ data, error, isFetchedAfterMount });

  const begin = useEffectEvent(() => {
    if (post === undefined) applyLink(store, search, connections);
    else {
      const undo = beginWithPost(store, post, search, platforms, Date.now());
      const what = isContinued(post, search) ? 'The draft is here.' : 'The text of the post is here.';
      if (undo !== null) toast(what, undo);
    }
    void navigate({ search: {}, replace: true });
  });
  const isReady = Object.keys(search).length > 0 && (postId === undefined || post !== undefined);
  useEffect(() => {
    if (isReady) begin();
  }, [isReady]);
  return postId === undefined ? null : error;
}

/** A link with a text begins a new one unless nothing is written. Connections and a time are added to what is. */
function applyLink(store: CompositionStore, search: ComposeSearch, connections: readonly Connection[]): void {
  const { slug: chosen = [], text } = search;
  const named = connections.filter(({ id, slug }) => chosen.includes(id) || chosen.includes(slug));
  if (text !== undefined && !isBlank(store.current())) store.show(newComposition());
  store.change(({ targets }) => ({
    ...(text !== undefined && { text }),
    targets: [...new Set([...targets, ...named.map(({ id }) => id)])],
    ...timeFields(search),
  }));
}
