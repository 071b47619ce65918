/** The send of a composition: what is missing, what happens, and the outcome of each connection. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLists } from '../../data/live/use-lists.ts';
import { useTRPCClient } from '../../data/trpc.ts';
import type { Composition, Pending } from './composition.ts';
import { chosenOf, type Directory } from './requests.ts';
import { type Begun, sendComposition } from './send-composition.ts';
import type { CompositionStore } from './store.ts';
import type { Autosave } from './use-autosave.ts';

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
  const sending = useMutation({
    // Another text may be shown before the send begins, and while it runs.
    mutationFn: (compositionId: string) =>
      autosave.without(() => sendComposition({ api, store, compositionId, connections }, directory, setBegun)),
    onSettled: () => refreshPosts(),
  });
  const start = (pending: Pending | null) => {
    if (sending.isPending) return;
    const lacks = pending?.kind === 'send' ? null : missingIn(composition, directory, isUploading);
    setMissing(lacks);
    if (lacks === null) sending.mutate(composition.id);
  };
  const send = () => start(composition.pending);
  const sendAsNew = () => {
    store.change({ pending: null }, composition.id);
    start(null);
  };
  return {
    send,
    sendAsNew,
    missing,
    begun,
    isSending: sending.isPending,
    sent: sending.data ?? null,
    error: sending.error,
  };
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
