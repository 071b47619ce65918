/** Storage of the bytes of images. Keys are the images' ids: UUIDs, each written once. */

export interface MediaStore {
  /** Stores bytes under a key; once it resolves they are durable. */
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /**
   * The bytes under a key; null when there are none.
   *
   * @param signal ends the read, which then throws
   */
  get(key: string, signal?: AbortSignal): Promise<Uint8Array | null>;
  /** Removes what is under a key; does nothing when there is nothing. */
  delete(key: string): Promise<void>;
  /**
   * Links every image into a new folder, as they are once `begin` has run: none is removed from its call on. Absent where
   * the bytes are not files of this machine.
   */
  readonly snapshot?: (folder: string, begin: () => Promise<void>) => Promise<void>;
}
