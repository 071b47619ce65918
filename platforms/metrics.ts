/** How platforms are asked for the numbers of posts that are up. */

/** A number that posts are read back with (docs/contract/metrics.md#reads-of-a-post). */
export type MetricName = 'impressions' | 'likes' | 'reposts' | 'replies' | 'clicks';

/** What one call for numbers may cover. */
export interface MetricsBatchFacts {
  /** Posts of one call. */
  readonly max: number;
  /**
   * Whether anyone may ask, so that posts of many connections go in one call and a login that is over does
   * not matter. What the platform asks to wait then holds for all of it, and not for one connection.
   */
  readonly shared: boolean;
}

/** A post whose numbers are asked for. */
export interface ReadPost {
  readonly platformPostId: string;
  readonly sentAt: Date;
}

/** Running totals. What is left out was not reported, which is not zero. */
export type MetricNumbers = Readonly<Partial<Record<MetricName, number>>>;

/** What a platform says of each post, by its platformPostId. A post that is left out was not found out about for now. */
export type MetricsReading = ReadonlyMap<string, MetricNumbers | 'gone'>;
