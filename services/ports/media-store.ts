/** Storage of the bytes of images. Keys are the images' ids: UUIDs, each written once. */

export interface MediaStore {
  /** Stores bytes under a key; once it resolves they are durable. */
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** The bytes under a key; null when there are none. */
  get(key: string): Promise<Uint8Array | null>;
  /** Removes what is under a key; does nothing when there is nothing. */
  delete(key: string): Promise<void>;
}
