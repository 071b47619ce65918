/** Sends one text, and forgets it when all of it went out. What is written meanwhile stays. */
import type { Api } from '../../data/api-types.ts';
import type { Connection } from '../../data/connections.ts';
import { type Composition, contentKey, isRepeatable } from './composition.ts';
import { planSend } from './plan-send.ts';
import { chosenOf, type Directory } from './requests.ts';
import { type Sending, sendPending, sendPlanned, type Sent } from './send.ts';

/** What a running send has begun with. */
export interface Begun {
  readonly newestId: string | null;
  readonly connections: readonly Connection[];
}

const NOTHING: Sent = { results: [], failures: [], isUndecided: false };

/** @param onBegin is told what the send begins with, as soon as that is known */
export async function sendComposition(
  sending: Sending,
  directory: Directory,
  onBegin: (begun: Begun) => void,
): Promise<Sent> {
  const { api, store, compositionId, connections } = sending;
  store.refresh();
  const asked = store.find(compositionId);
  if (asked === undefined) return NOTHING;
  // By now the service would carry it out again. The person says what happened.
  if (asked.pending?.kind === 'send' && !isRepeatable(asked.pending, Date.now())) return NOTHING;
  onBegin({ newestId: null, connections: chosenOf(asked, connections) });
  // What was sent before has an answer first: it may have gone out.
  if (asked.pending !== null) {
    const earlier = await sendPending(sending, asked.pending);
    if (asked.pending.kind === 'send') forgetSent(sending, asked, earlier);
    if (asked.pending.kind === 'send' || earlier.failures.length > 0) return earlier;
  }
  const present = store.find(compositionId);
  const newestId = await newestPost(api);
  // Meanwhile it may have been discarded.
  if (present === undefined || store.find(compositionId) === undefined) return NOTHING;
  onBegin({ newestId, connections: chosenOf(present, connections) });
  const sent = await sendPlanned(sending, 'send', planSend(present, directory, Date.now()));
  forgetSent(sending, present, sent);
  return sent;
}

/** It stays while a connection is left to send it to, and when it was changed during the send. */
function forgetSent({ store, compositionId }: Sending, before: Composition, { failures }: Sent): void {
  const now = store.find(compositionId);
  if (now === undefined || failures.length > 0 || now.targets.length > 0 || now.pending !== null) return;
  if (contentKey({ ...now, targets: before.targets }) === contentKey(before)) store.forget(compositionId);
}

/** The post that was newest before the send, so that those of the send can be told apart; null when it is not known. */
async function newestPost(api: Api): Promise<string | null> {
  const newest = await api.posts.list.query({ limit: 1 }).catch(() => null);
  return newest?.posts[0]?.id ?? null;
}
