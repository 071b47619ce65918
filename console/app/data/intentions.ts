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

/** Whether a change that failed like this may have been carried out. */
export function isUndecided(failure: unknown): boolean {
  return UNDECIDED.includes(codeOf(failure));
}

/**
 * Runs a change with the key of its intention.
 *
 * @param name names the intention in this tab, such as `compose:${draftId}`
 * @param input what is asked for, without the key
 */
export async function asOneIntention<Answer>(
  name: string,
  input: unknown,
  send: (idempotencyKey: string) => Promise<Answer>,
): Promise<Answer> {
  const place = `carillon.intention.${name}`;
  const content = JSON.stringify(input);
  const kept = readKept(sessionStorage, place);
  const key = kept?.content === content ? kept.key : newKey();
  sessionStorage.setItem(place, JSON.stringify({ key, content } satisfies Kept));
  try {
    const answer = await send(key);
    sessionStorage.removeItem(place);
    return answer;
  } catch (failure) {
    if (!isUndecided(failure)) sessionStorage.removeItem(place);
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
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
