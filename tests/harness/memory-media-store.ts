/** A media store in memory whose calls can fail on request. */
import type { MediaStore } from '../../services/ports/media-store.ts';

export interface MemoryMediaStore extends MediaStore {
  /** The stored bytes, by key. */
  readonly stored: Map<string, Uint8Array>;
  /** Errors for the next calls of a kind, one each: the call throws it. */
  readonly faults: ('put' | 'get' | 'delete')[];
}

export function createMemoryMediaStore(): MemoryMediaStore {
  const stored = new Map<string, Uint8Array>();
  const faults: MemoryMediaStore['faults'] = [];
  const mayFail = (call: 'put' | 'get' | 'delete') => {
    const at = faults.indexOf(call);
    if (at === -1) return;
    faults.splice(at, 1);
    throw new Error(`the store fails to ${call}`);
  };
  return {
    stored,
    faults,
    put: async (key, bytes) => {
      mayFail('put');
      stored.set(key, Buffer.from(bytes));
    },
    get: async (key, signal) => {
      mayFail('get');
      signal?.throwIfAborted();
      return stored.get(key) ?? null;
    },
    delete: async (key) => {
      mayFail('delete');
      stored.delete(key);
    },
  };
}
