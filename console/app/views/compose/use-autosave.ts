/**
 * Saves what is written as drafts of the service, some seconds after the last change, so that it can be continued on
 * another device (docs/decisions/0076-save-a-composition-in-the-browser-and-as-drafts.md). The browser keeps every change anyway.
 */
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useLists } from '../../data/live/use-lists.ts';
import { codeOf, isRetryable } from '../../data/problem.ts';
import { useTRPCClient } from '../../data/trpc.ts';
import { toast } from '../../ui/toasts.tsx';
import { type Composition, contentKey } from './composition.ts';
import { chosenOf, type Directory, planRequests, withReplaced } from './requests.ts';
import { sendPending, sendStored, type Sent, storePlanned } from './send.ts';
import type { CompositionStore } from './store.ts';

/** A pause in typing after which drafts are saved, and the wait after a save that failed for now. */
const SAVE_AFTER_MS = 3_000;
const AGAIN_MS = 15_000;

const LOCK = 'carillon.compose.save';

export interface Autosave {
  readonly isSaving: boolean;
  /** Why the latest save failed; null when it did not. */
  readonly failure: unknown;
  /** Runs a send while nothing is saved: it takes the place of the drafts that are stored by then. */
  without<Result>(send: () => Promise<Result>): Promise<Result>;
  /** Resolves when no save runs. */
  settled(): Promise<void>;
}

export function useAutosave(store: CompositionStore, composition: Composition, directory: Directory): Autosave {
  const api = useTRPCClient();
  const { refreshPosts } = useLists();
  const running = useRef<Promise<void> | null>(null);
  const isHeld = useRef(false);
  const [isSaving, setSaving] = useState(false);
  const [isPaused, setPaused] = useState(false);
  const [failed, setFailed] = useState<{ readonly key: string; readonly failure: unknown } | null>(null);
  const key = contentKey(composition);
  const failure = failed?.key === key ? failed.failure : null;

  const noteOutcome = (saved: Composition, sent: Sent) => {
    showElsewhere(sent);
    const savedKey = contentKey(saved);
    const [first] = sent.failures;
    if (first === undefined) store.change({ savedAs: savedKey }, saved.id);
    setFailed(first === undefined ? null : { key: savedKey, failure: first });
  };
  const save = useEffectEvent(async (wanted: string) => {
    if (running.current !== null || isHeld.current) return;
    setSaving(true);
    const { connections } = directory;
    const work = alone(async () => {
      store.refresh();
      const present = store.current();
      if (present.id !== composition.id || !isDue(present, directory)) return;
      const sending = { api, store, compositionId: present.id, connections };
      if (present.pending !== null) showElsewhere(await sendPending(sending, present.pending));
      store.refresh();
      const latest = store.find(present.id);
      // Meanwhile it may have been discarded, and another text be shown.
      const pending = latest && storePlanned(sending, 'save', draftsOf(latest, directory));
      if (latest !== undefined && pending != null) noteOutcome(latest, await sendStored(sending, pending));
    }).catch((thrown: unknown) => setFailed({ key: wanted, failure: thrown }));
    running.current = work;
    await work;
    running.current = null;
    setSaving(false);
    void refreshPosts();
  });
  const code = failure === null ? null : codeOf(failure);
  const mayRepeat = failure === null || code === null || code === 'not_found' || isRetryable(code);
  const isWaiting = isDue(composition, directory) && store.isOwnChange() && mayRepeat;
  useEffect(() => {
    if (!isWaiting || isSaving || isPaused) return;
    const timer = setTimeout(() => void save(key), failure === null ? SAVE_AFTER_MS : AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isWaiting, isSaving, isPaused, failure, key]);

  const hold = (isOn: boolean) => {
    isHeld.current = isOn;
    setPaused(isOn);
  };
  return {
    isSaving,
    failure,
    settled: async () => void (await running.current),
    without: async (send) => {
      hold(true);
      try {
        await running.current;
        return await send();
      } finally {
        hold(false);
      }
    },
  };
}

/**
 * Whether the service does not have what is written. It takes a text for at least one connection. The post of a request
 * for approval is not saved: the request would end before anyone decides.
 */
function isDue(composition: Composition, { connections }: Directory): boolean {
  const { pending, text, variants, savedAs, approval } = composition;
  if (pending !== null) return pending.kind === 'save';
  if (approval !== null) return false;
  const isWritten = text.trim() !== '' || Object.values(variants).some((words) => words.trim() !== '');
  return isWritten && chosenOf(composition, connections).length > 0 && savedAs !== contentKey(composition);
}

/** Says why connections are no longer chosen. */
function showElsewhere({ elsewhere }: Sent): void {
  for (const { result } of elsewhere) toast(`${result.connectionSlug}: ${result.warning}`);
}

function draftsOf(composition: Composition, directory: Directory) {
  const planned = planRequests(composition, directory).map((request) => ({
    ...request,
    input: { ...request.input, isDraft: true },
  }));
  return withReplaced(planned, composition.drafts);
}

/** One tab saves at a time. Browsers have locks only on https and on this machine; elsewhere tabs may save at once. */
async function alone(work: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { locks?: LockManager };
  if (locks === undefined) return work();
  await locks.request(LOCK, work);
}
