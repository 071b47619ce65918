/**
 * The files of compositions that are on their way. They belong to the page and not to a view: an upload goes on while another view
 * is shown, and its composition waits for it afterwards too.
 */
import { useSyncExternalStore } from 'react';
import type { CompositionStore } from './store.ts';

/** A file on its way. */
export interface Upload {
  readonly id: number;
  /** The composition that it was chosen for. */
  readonly compositionId: string;
  readonly file: File;
  /** Why it cannot be uploaded; null when it can. */
  readonly refusal: string | null;
  /** The failure of its upload; null while it runs. */
  readonly failure: unknown;
}

interface UploadList {
  subscribe(listener: () => void): () => void;
  all(): readonly Upload[];
  add(uploads: readonly Omit<Upload, 'id'>[]): readonly Upload[];
  change(id: number, changes: Partial<Upload>): void;
  remove(id: number): void;
}

const lists = new WeakMap<CompositionStore, UploadList>();

/** The list of a store. */
export function uploadsOf(store: CompositionStore): UploadList {
  const list = lists.get(store) ?? createList();
  lists.set(store, list);
  return list;
}

export function useUploads(store: CompositionStore): readonly Upload[] {
  const { subscribe, all } = uploadsOf(store);
  return useSyncExternalStore(subscribe, all);
}

function createList(): UploadList {
  const listeners = new Set<() => void>();
  let uploads: readonly Upload[] = [];
  let lastId = 0;
  const set = (next: readonly Upload[]) => {
    uploads = next;
    for (const listener of listeners) listener();
  };
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    all: () => uploads,
    add: (fresh) => {
      const added = fresh.map((one): Upload => {
        lastId += 1;
        return { ...one, id: lastId };
      });
      set([...uploads, ...added]);
      return added;
    },
    change: (id, changes) => set(uploads.map((one) => (one.id === id ? { ...one, ...changes } : one))),
    remove: (id) => set(uploads.filter((one) => one.id !== id)),
  };
}
