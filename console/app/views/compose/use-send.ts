/** The send of a composition: what is missing, what happens, and the outcome of each connection. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLists } from '../../data/live/use-lists.ts';
import { useTRPCClient } from '../../data/trpc.ts';
import type { Composition, Pending } from './composition.ts';
import { acceptLost } from './lost-drafts.ts';
import { missingIn } from './missing.ts';
import type { Directory } from './requests.ts';
import { NOTHING } from './send.ts';
import { type Begun, sendComposition } from './send-composition.ts';
import type { CompositionStore } from './store.ts';
import type { Autosave } from './use-autosave.ts';
import type { Upload } from './uploads.ts';

interface Options {
  readonly store: CompositionStore;
  readonly composition: Composition;
  readonly directory: Directory;
  readonly uploads: readonly Upload[];
  readonly autosave: Autosave;
}

export function useSend({ store, composition, directory, uploads, autosave }: Options) {
  const api = useTRPCClient();
  const { refreshPosts } = useLists();
  // Names a composition, because another one may be shown by now.
  const [refusedId, setRefusedId] = useState<string | null>(null);
  const [begun, setBegun] = useState<Begun>({ newestId: null, connections: [] });
  const { connections } = directory;
  const sending = useMutation({
    // Another text may be shown before the send begins, and while it runs.
    mutationFn: (compositionId: string) =>
      autosave.without(() => sendComposition({ api, store, compositionId, connections }, directory, setBegun)),
    // What was there at the press may have been cleared before the send began. What is missing now is named.
    onSuccess: (sent, compositionId) => {
      if (sent === NOTHING) setRefusedId(compositionId);
    },
    onSettled: () => refreshPosts(),
  });
  const start = (pending: Pending | null) => {
    if (sending.isPending) return;
    const isRefused = pending?.kind !== 'send' && missingIn(composition, directory, uploads) !== null;
    setRefusedId(isRefused ? composition.id : null);
    if (isRefused) return;
    if (pending?.kind !== 'send') acceptLost(store, composition.id);
    sending.mutate(composition.id);
  };
  const send = () => start(composition.pending);
  const sendAsNew = () => {
    store.change({ pending: null }, composition.id);
    start(null);
  };
  return {
    send,
    sendAsNew,
    /** Why the last try was refused; null once it would not be. */
    missing: refusedId === composition.id ? missingIn(composition, directory, uploads) : null,
    begun,
    isSending: sending.isPending,
    sent: sending.data ?? null,
    error: sending.error,
  };
}
