/** The servers behind webhooks, as use cases reach them; server/receivers.ts is the way out. */

export interface Receivers {
  /** Why nothing may be delivered to an address, as what is wrong with its host; null when it may. Looks the host up. */
  refusal(address: URL): Promise<string | null>;
  /**
   * Posts once, to an address that is judged anew with every connection, and follows no redirect. Never throws;
   * resolves with the status line, or after five seconds of real time. What the receiver says beyond it is discarded.
   */
  post(address: URL, headers: Readonly<Record<string, string>>, body: string): Promise<ReceiverAnswer>;
}

export type ReceiverAnswer =
  | { readonly status: number }
  /** One sentence that says why there is no status, and nothing of what the receiver sent. */
  | { readonly status: null; readonly problem: string };
