/**
 * Idempotency keys: one per intention. An intention is what a person wants to happen once, such as "publish this draft".
 * Its key is kept until the service answers, across reloads, so that a repeated press never posts twice.
 */
import { codeOf } from './problem.ts';

interface Kept {
  readonly key: string;
  /** What was asked for; another content is another intention. */
  readonly content: string;
}

/** After these the first request may have been carried out, or still runs. */
const UNDECIDED: readonly (string | null)[] = [null, 'internal_server_error', 'idempotency_key_conflict'];

/**
 * Runs a change with the key of its intention.
 *
 * @param name names the intention in this tab, such as `compose:${draftId}`
 * @param input what is asked for, without the key
 * @param storage localStorage for an intention that outlives its tab
 */
export async function asOneIntention<Answer>(
  name: string,
  input: unknown,
  send: (idempotencyKey: string) => Promise<Answer>,
  storage: Storage = sessionStorage,
): Promise<Answer> {
  const place = `carillon.intention.${name}`;
  const content = JSON.stringify(input);
  const kept = readKept(storage, place);
  const key = kept?.content === content ? kept.key : newKey();
  storage.setItem(place, JSON.stringify({ key, content } satisfies Kept));
  try {
    const answer = await send(key);
    storage.removeItem(place);
    return answer;
  } catch (failure) {
    if (!UNDECIDED.includes(codeOf(failure))) storage.removeItem(place);
    throw failure;
  }
}

function readKept(storage: Storage, place: string): Kept | null {
  try {
    return JSON.parse(storage.getItem(place) ?? 'null') as Kept | null;
  } catch {
    return null;
  }
}

/** 128 random bits; `crypto.randomUUID` does not exist on plain http. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
