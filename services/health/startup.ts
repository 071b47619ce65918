/** Whether the start of this process has ended. */

export interface WithStartup {
  /**
   * `hasEnded` changes once, when the start ends, including the first start of an install; before that, the process is
   * not healthy (docs/contract/running.md#health).
   */
  readonly startup: { readonly hasEnded: boolean };
}
