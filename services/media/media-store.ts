/** Where the bytes of images are kept. Keys are the images' ids: UUIDs, each written once. */

export interface MediaStore {
  /** Keeps bytes under a key; once it resolves they outlive this process. */
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** The bytes under a key; null when there are none. */
  get(key: string): Promise<Uint8Array | null>;
  /** Removes what is under a key; does nothing when there is nothing. */
  delete(key: string): Promise<void>;
}

/** Where the operator wants the bytes: in DATA_DIR, or in a bucket that speaks S3. */
export type MediaStoreConfig =
  | { readonly kind: 'file' }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Origin of the service, without a slash at the end; undefined for Amazon's own. */
      readonly endpoint: string | undefined;
      /** Undefined for what the environment (AWS_REGION) says. */
      readonly region: string | undefined;
      /** What every key begins with. */
      readonly prefix: string;
    };
