/** Who is calling: what a key stands for once it has been checked. */

export interface Caller {
  readonly accountId: string;
  /** Id of the API key, which its requests are counted under. */
  readonly keyId: string;
  /** The one profile the key reaches; null when it reaches the whole account. */
  readonly profileId: string | null;
  /** A test key reaches sandbox connections only and makes test-mode posts. */
  readonly mode: 'live' | 'test';
}
