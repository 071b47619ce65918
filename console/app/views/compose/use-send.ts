/** The send of a composition: what is missing, what happens, and the outcome of each connection. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLists } from '../../data/live/use-lists.ts';
import type { Connection } from '../../data/connections.ts';
import { type Api, useTRPCClient } from '../../data/trpc.ts';
import type { Composition } from './composition.ts';
import { chosenOf, type Directory, planRequests, whenFields, withReplaced } from './requests.ts';
import { sendPending, sendPlanned, type Sent } from './send.ts';
import type { CompositionStore } from './store.ts';
import type { Autosave } from './use-autosave.ts';

/** What a running send has begun with. */
export interface Begun {
  readonly newestId: string | null;
  readonly connections: readonly Connection[];
}

interface Options {
  readonly store: CompositionStore;
  readonly composition: Composition;
  readonly directory: Directory;
  /** Whether files are still being uploaded. */
  readonly isUploading: boolean;
  readonly autosave: Autosave;
}

export function useSend({ store, composition, directory, isUploading, autosave }: Options) {
  const api = useTRPCClient();
  const { refreshPosts } = useLists();
  const [missing, setMissing] = useState<string | null>(null);
  const [begun, setBegun] = useState<Begun>({ newestId: null, connections: [] });
  const { connections } = directory;
  const run = async (): Promise<Sent> => {
    store.refresh();
    const { id, pending } = store.current();
    setBegun({ newestId: null, connections: chosenOf(store.current(), connections) });
    const target = { api, store, compositionId: id, connections };
    // What was sent before has an answer first: it may have gone out.
    if (pending !== null) {
      const earlier = await sendPending(target, pending);
      if (pending.kind === 'send' || earlier.failures.length > 0) return earlier;
    }
    const present = store.current();
    setBegun({ newestId: await newestPost(api), connections: chosenOf(present, connections) });
    const planned = planRequests(present, directory).map((request) => ({
      ...request,
      input: { ...request.input, ...whenFields(present) },
    }));
    return sendPlanned(target, 'send', withReplaced(planned, present.drafts));
  };
  const sending = useMutation({
    mutationFn: () => autosave.without(run),
    onSuccess: ({ failures }) => {
      const { id, targets, pending } = store.current();
      // The text stays while a connection is left to send it to.
      if (failures.length === 0 && targets.length === 0 && pending === null) store.forget(id);
    },
    onSettled: () => refreshPosts(),
  });
  const send = () => {
    if (sending.isPending) return;
    const isAsking = composition.pending?.kind === 'send';
    const lacks = isAsking ? null : missingIn(composition, directory, isUploading);
    setMissing(lacks);
    if (lacks === null) sending.mutate();
  };
  return { send, missing, begun, isSending: sending.isPending, sent: sending.data ?? null, error: sending.error };
}

/** The post that was newest before the send, so that those of the send can be told apart; null when it is not known. */
async function newestPost(api: Api): Promise<string | null> {
  const newest = await api.posts.list.query({ limit: 1 }).catch(() => null);
  return newest?.posts[0]?.id ?? null;
}

/** Names the first thing that is missing; null when nothing is. */
function missingIn(composition: Composition, { connections }: Directory, isUploading: boolean): string | null {
  const { text, variants, when, time } = composition;
  const hasText = text.trim() !== '' || Object.values(variants).some((words) => words.trim() !== '');
  if (!hasText) return 'There is no text yet. Write what is to be posted.';
  if (chosenOf(composition, connections).length === 0) return 'No connection is chosen. Choose at least one.';
  if (when === 'time' && time === '') return 'The date or the time is missing. Give both, or choose Now.';
  return isUploading ? 'An image is still being uploaded. Wait for it, or remove it.' : null;
}
