/** What a process counts for the metrics of docs/operations.md; server/instruments.ts implements it. */

export interface Counters {
  /**
   * A send whose outcome is stored.
   *
   * @param outcome `sent`, or the error code of the post
   */
  countSend(platformId: string, outcome: string): void;
  /** One attempt at a delivery. */
  countDelivery(outcome: 'delivered' | 'failed'): void;
  /** Webhooks that were disabled because their deliveries fail. */
  countDisabledWebhooks(count: number): void;
}
