/** Turns each failure of a media store into an error that says so: the storage failed, and not this request. */
import { ServiceError } from '../../errors/service-error.ts';
import type { MediaStore } from '../ports/media-store.ts';

const MESSAGE =
  'The storage of images of this install is full, refuses access or does not answer; nothing was stored or sent.';

export function reportOutages(store: MediaStore): MediaStore {
  return {
    put: (key, bytes, contentType) => store.put(key, bytes, contentType).catch(fail),
    get: (key, signal) => store.get(key, signal).catch(fail),
    delete: (key) => store.delete(key),
    ...(store.snapshot === undefined ? {} : { snapshot: store.snapshot }),
  };
}

function fail(cause: unknown): never {
  throw new ServiceError('storage_unavailable', MESSAGE, { cause });
}
