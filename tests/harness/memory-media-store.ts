/** A media store in memory whose calls can fail on request. */
import type { MediaStore } from '../../services/media/media-store.ts';

export interface MemoryMediaStore extends MediaStore {
  /** The stored bytes, by key. */
  readonly kept: Map<string, Uint8Array>;
  /** Errors for the next calls of a kind, one each: the call throws it. */
  readonly faults: ('put' | 'get' | 'delete')[];
}

export function createMemoryMediaStore(): MemoryMediaStore {
  const kept = new Map<string, Uint8Array>();
  const faults: MemoryMediaStore['faults'] = [];
  const mayFail = (call: 'put' | 'get' | 'delete') => {
    const at = faults.indexOf(call);
    if (at === -1) return;
    faults.splice(at, 1);
    throw new Error(`the store fails to ${call}`);
  };
  return {
    kept,
    faults,
    put: async (key, bytes) => {
      mayFail('put');
      kept.set(key, Buffer.from(bytes));
    },
    get: async (key) => {
      mayFail('get');
      return kept.get(key) ?? null;
    },
    delete: async (key) => {
      mayFail('delete');
      kept.delete(key);
    },
  };
}
