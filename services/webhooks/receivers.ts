/** The servers behind webhooks, as use cases reach them; server/receivers.ts implements the transport. */

export interface Receivers {
  /**
   * Why deliveries to a url are not allowed, as a description of what is wrong with its host; null when they are. Looks
   * the host up.
   */
  refusal(address: URL): Promise<string | null>;
  /**
   * Posts once and follows no redirect. The address is checked again on every connection. Never throws; resolves with
   * the status, or after five seconds of real time. The rest of the response is discarded.
   */
  post(address: URL, headers: Readonly<Record<string, string>>, body: string): Promise<ReceiverAnswer>;
}

/** The servers behind webhooks, through the guard. */
export interface WithReceivers {
  readonly receivers: Receivers;
}

export type ReceiverAnswer =
  | { readonly status: number }
  /** One sentence that explains the missing status; it contains nothing that the receiver sent. */
  | { readonly status: null; readonly problem: string };
