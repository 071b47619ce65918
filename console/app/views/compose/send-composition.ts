/** Sends one text, and forgets it when all of it went out. What is written meanwhile stays. */
import type { Api } from '../../data/api-types.ts';
import type { Connection } from '../../data/connections.ts';
import { type Composition, isRepeatable, isWrittenAs, type Pending } from './composition.ts';
import { lostTargets } from './lost-drafts.ts';
import { planSend } from './plan-send.ts';
import { chosenOf, type Directory } from './requests.ts';
import { isSame, NOTHING, type Sending, sendPending, sendStored, type Sent, storePlanned } from './send.ts';

/** What a running send has begun with. */
export interface Begun {
  readonly newestId: string | null;
  readonly connections: readonly Connection[];
}

/** @param onBegin is told what the send begins with, as soon as that is known */
export async function sendComposition(
  sending: Sending,
  directory: Directory,
  onBegin: (begun: Begun) => void,
): Promise<Sent> {
  const { store, compositionId, connections } = sending;
  for (;;) {
    store.refresh();
    const present = store.find(compositionId);
    if (present === undefined) return NOTHING;
    const { pending } = present;
    // By now the service would carry it out again. The person says what happened.
    if (pending?.kind === 'send' && !isRepeatable(pending, Date.now())) return NOTHING;
    onBegin({ newestId: null, connections: chosenOf(present, connections) });
    if (pending === null) {
      const sent = await sendNew(sending, present, directory, onBegin);
      if (sent !== null) return sent;
      continue;
    }
    // What was sent before has an answer first: it may have gone out.
    const earlier = await sendPending(sending, pending);
    if (pending.kind === 'send') forgetSent(sending, pending, earlier);
    if (pending.kind === 'send' || earlier.failures.length > 0) return earlier;
  }
}

/** @returns null when another view or tab has begun to send or save it meanwhile */
async function sendNew(
  sending: Sending,
  present: Composition,
  directory: Directory,
  onBegin: (begun: Begun) => void,
): Promise<Sent | null> {
  const { api, store, compositionId, connections } = sending;
  // A save that ran since the press may have found that a draft is gone. The person decides with the warning in sight.
  if (lostTargets(present).length > 0) return NOTHING;
  // The time may have been cleared since the press. Without one the post would go out at once.
  if (present.when === 'time' && present.time === '') return NOTHING;
  const planned = planSend(present, directory, Date.now());
  if (planned.length === 0) return NOTHING;
  // Before anything is awaited: a second press, also in another view or tab, asks about these requests.
  const pending = storePlanned(sending, 'send', planned);
  if (pending === null) return null;
  const newestId = await newestPost(api);
  store.refresh();
  // Meanwhile it may have been discarded, or these requests were answered there.
  if (!isSame(store.find(compositionId)?.pending, pending)) return NOTHING;
  onBegin({ newestId, connections: chosenOf(present, connections) });
  const sent = await sendStored(sending, pending);
  forgetSent(sending, pending, sent);
  return sent;
}

/** It stays while a connection is left to send it to, and when it was changed since its requests were made. */
function forgetSent({ store, compositionId }: Sending, { content }: Pending, { failures }: Sent): void {
  const now = store.find(compositionId);
  if (now === undefined || failures.length > 0 || now.targets.length > 0 || now.pending !== null) return;
  if (content !== undefined && isWrittenAs(now, content)) store.forget(compositionId);
}

/** The post that was newest before the send, so that those of the send can be told apart; null when it is not known. */
async function newestPost(api: Api): Promise<string | null> {
  const newest = await api.posts.list.query({ limit: 1 }).catch(() => null);
  return newest?.posts[0]?.id ?? null;
}
