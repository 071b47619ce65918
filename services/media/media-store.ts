/** Storage of the bytes of images. Keys are the images' ids: UUIDs, each written once. */

export interface MediaStore {
  /** Stores bytes under a key; once it resolves they are durable. */
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** The bytes under a key; null when there are none. */
  get(key: string): Promise<Uint8Array | null>;
  /** Removes what is under a key; does nothing when there is nothing. */
  delete(key: string): Promise<void>;
}

/** Where the operator stores the bytes: in DATA_DIR, or in an S3-compatible bucket. */
export type MediaStoreConfig =
  | { readonly kind: 'file' }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Origin of the service, without a trailing slash; undefined for Amazon S3. */
      readonly endpoint: string | undefined;
      /** Undefined for the value of the environment (AWS_REGION). */
      readonly region: string | undefined;
      /** Prefix of every key. */
      readonly prefix: string;
    };
