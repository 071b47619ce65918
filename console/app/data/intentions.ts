/**
 * Idempotency keys: one per intention. An intention is what a person wants to happen once, such as "publish this draft".
 * Its key is kept until the service answers, across reloads, so that a repeated press never posts twice.
 */
import { codeOf, isServiceCode } from './problem.ts';

interface Kept {
  readonly key: string;
  /** What was asked for; another content is another intention. */
  readonly content: string;
}

/** After these the first request may have been carried out, or still runs. */
const UNDECIDED: readonly string[] = ['internal_server_error', 'storage_unavailable', 'idempotency_key_conflict'];

/** Whether a change that failed like this may have been carried out. */
export function isUndecided(failure: unknown): boolean {
  const code = codeOf(failure);
  // A proxy that answers with its own code may have passed the request on.
  return code === null || !isServiceCode(code) || UNDECIDED.includes(code);
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
  const kept = readKept(place);
  const key = kept?.content === content ? kept.key : newKey();
  keep(place, { key, content });
  try {
    const answer = await send(key);
    forget(place);
    return answer;
  } catch (failure) {
    if (!isUndecided(failure)) forget(place);
    throw failure;
  }
}

/** Keys that the browser has no room for, or no storage at all. They last as long as the page. */
const inMemory = new Map<string, Kept>();

function readKept(place: string): Kept | null {
  const kept = inMemory.get(place);
  if (kept !== undefined) return kept;
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? 'null') as Kept | null;
  } catch {
    return null;
  }
}

function keep(place: string, kept: Kept): void {
  try {
    sessionStorage.setItem(place, JSON.stringify(kept));
    inMemory.delete(place);
  } catch {
    inMemory.set(place, kept);
  }
}

function forget(place: string): void {
  inMemory.delete(place);
  try {
    sessionStorage.removeItem(place);
  } catch {
    // A storage that cannot be reached has no key.
  }
}

/** 128 random bits; `crypto.randomUUID` does not exist on plain http. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
