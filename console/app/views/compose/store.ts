/**
 * Keeps compositions in this browser, written at every change: closing a tab loses nothing. All tabs show the same
 * composition, so none of them overwrites another unseen.
 */
import type { Session } from '../../data/session.ts';
import { type Composition, isBlank, newComposition } from './composition.ts';

interface Kept {
  /** Id of the one that is shown. */
  readonly current: string;
  readonly all: readonly Composition[];
  /** Those whose drafts are still to be deleted. */
  readonly discarded: readonly Discarded[];
}

export interface Discarded {
  readonly composition: Composition;
  /** In milliseconds since 1970. */
  readonly at: number;
}

export interface CompositionStore {
  subscribe(listener: () => void): () => void;
  /** The composition that is shown. */
  current(): Composition;
  /** One by its id, shown or not; undefined when it is gone. */
  find(id: string): Composition | undefined;
  /** Unfinished ones that are not shown, newest first. */
  others(): readonly Composition[];
  /** Changes one, by default the shown one. Does nothing when it is gone. */
  change(changes: Changes, id?: string): void;
  /** Shows another one, also a discarded one. The one that was shown stays among the others, unless it is blank. */
  show(composition: Composition): void;
  /** Forgets one; if it was shown, a blank one takes its place. */
  forget(id: string): void;
  /** Forgets one, and keeps what it takes to delete its drafts, in case the page is closed before they are. */
  discard(id: string, at: number): void;
  discarded(): readonly Discarded[];
  /** Ends a discard, once the drafts are deleted. */
  endDiscard(id: string): void;
  /** Whether this tab wrote the latest change, or nothing changed since it opened. */
  isOwnChange(): boolean;
  /** Takes over what another tab has written since. */
  refresh(): void;
  /** Whether the browser keeps what is written. */
  isKept(): boolean;
}

export type Changes = Partial<Composition> | ((before: Composition) => Partial<Composition>);

const PLACE = 'carillon.compose';

/** People who share a browser do not see each other's texts. */
export function placeOf(session: Session): string {
  return `${PLACE}.${session.kind === 'person' ? session.person.email : session.key.slice(0, 14)}`;
}

const stores = new Map<string, CompositionStore>();

/** The store of a session: one per page. */
export function storeOf(session: Session): CompositionStore {
  const place = placeOf(session);
  const store = stores.get(place) ?? createStore(place);
  stores.set(place, store);
  return store;
}

function createStore(place: string): CompositionStore {
  const listeners = new Set<() => void>();
  let raw: string | null = null;
  let kept = blankStore();
  let isOwn = false;
  let isStored = true;

  const readAgain = (): boolean => {
    const present = readRaw(place);
    if (present === raw) return false;
    raw = present;
    kept = parse(place, present);
    isOwn = false;
    return true;
  };
  const write = (next: Kept) => {
    kept = next;
    isOwn = true;
    try {
      raw = JSON.stringify(kept);
      localStorage.setItem(place, raw);
      isStored = true;
    } catch {
      isStored = false;
    }
    for (const listener of listeners) listener();
  };
  /** Applies a change to what is newest, also when another tab wrote it. */
  const update = (apply: (before: Kept) => Kept) => {
    if (isStored) readAgain();
    write(apply(kept));
  };
  const notice = () => {
    if (readAgain()) for (const listener of listeners) listener();
  };
  readAgain();
  isOwn = true;
  window.addEventListener('storage', ({ key }) => (key === place || key === null) && notice());
  // A tab that slept in the background has missed what others wrote.
  document.addEventListener('visibilitychange', () => !document.hidden && isStored && notice());

  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    current: () => shownOf(kept),
    find: (id) => kept.all.find((one) => one.id === id),
    others: () => othersOf(kept),
    change: (changes, id) =>
      update((before) => {
        const wanted = id ?? before.current;
        const all = before.all.map((one) =>
          one.id === wanted ? { ...one, ...(typeof changes === 'function' ? changes(one) : changes) } : one,
        );
        return { ...before, all };
      }),
    show: (composition) =>
      update(({ all, discarded }) => {
        const others = all.filter((one) => one.id !== composition.id && !isBlank(one));
        return {
          current: composition.id,
          all: [composition, ...others],
          discarded: withoutDiscard(discarded, composition.id),
        };
      }),
    forget: (id) => update((before) => without(before, id)),
    discard: (id, at) =>
      update((before) => {
        const composition = before.all.find((one) => one.id === id);
        const left = without(before, id);
        return composition === undefined ? left : { ...left, discarded: [...left.discarded, { composition, at }] };
      }),
    discarded: () => kept.discarded,
    endDiscard: (id) => update((before) => ({ ...before, discarded: withoutDiscard(before.discarded, id) })),
    isOwnChange: () => isOwn,
    refresh: () => void (isStored && notice()),
    isKept: () => isStored,
  };
}

function without(before: Kept, id: string): Kept {
  const left = before.all.filter((one) => one.id !== id);
  if (id !== before.current) return { ...before, all: left };
  const blank = newComposition();
  return { ...before, current: blank.id, all: [blank, ...left] };
}

function withoutDiscard(discarded: readonly Discarded[], id: string): readonly Discarded[] {
  return discarded.filter(({ composition }) => composition.id !== id);
}

function shownOf({ current, all }: Pick<Kept, 'current' | 'all'>): Composition {
  const shown = all.find(({ id }) => id === current) ?? all[0];
  if (shown === undefined) throw new Error('a store of compositions is never empty');
  return shown;
}

const others = new WeakMap<Kept, readonly Composition[]>();

/** The same list until something changes, as React expects of a snapshot. */
function othersOf(kept: Kept): readonly Composition[] {
  const known = others.get(kept) ?? kept.all.filter((one) => one.id !== kept.current && !isBlank(one));
  others.set(kept, known);
  return known;
}

function blankStore(): Kept {
  const blank = newComposition();
  return { current: blank.id, all: [blank], discarded: [] };
}

function readRaw(place: string): string | null {
  try {
    return localStorage.getItem(place);
  } catch {
    return null;
  }
}

/** Reads what can be read. If that is not all, the whole is kept under another name, because the next write replaces it. */
function parse(place: string, raw: string | null): Kept {
  if (raw === null) return blankStore();
  try {
    const { current, all, discarded = [] } = JSON.parse(raw) as Omit<Kept, 'discarded'> & Partial<Kept>;
    const texts = readable(all, completed);
    const left = readable(discarded, (one) => ({ ...one, composition: completed(one.composition) }));
    if (texts.length < all.length || left.length < discarded.length) keepUnreadable(place, raw);
    const shown = texts.find(({ id }) => id === current) ?? texts[0] ?? newComposition();
    return { current: shown.id, all: texts.length === 0 ? [shown] : texts, discarded: left };
  } catch {
    keepUnreadable(place, raw);
    return blankStore();
  }
}

function readable<One>(list: readonly One[], read: (one: One) => One): One[] {
  return list.flatMap((one) => {
    try {
      return [read(one)];
    } catch {
      return [];
    }
  });
}

function keepUnreadable(place: string, raw: string): void {
  try {
    localStorage.setItem(`${place}.unreadable`, raw);
  } catch {
    // A browser without room for it keeps what can be read.
  }
}

/** What an older version of the console wrote may lack fields, or wait for the answers to no request at all. */
function completed(stored: Partial<Composition>): Composition {
  const { pending = null, drafts = {}, savedAs = null } = stored;
  const saves = savedAs === null ? [] : [{ content: savedAs, ids: Object.values(drafts) }];
  const whole = { ...newComposition(), saves, ...stored, pending: pending?.requests.length === 0 ? null : pending };
  // Fails unless the fields are what they are meant to be.
  isBlank(whole);
  return whole;
}
