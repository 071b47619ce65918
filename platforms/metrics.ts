/** How platforms report the metrics of published posts. */

/** A metric of a post (docs/contract/metrics.md#reads-of-a-post). */
export type MetricName = 'impressions' | 'likes' | 'reposts' | 'replies' | 'clicks';

/** The limits of one metrics call. */
export interface MetricsBatchFacts {
  /** Maximum number of posts in one call. */
  readonly max: number;
  /**
   * Whether the read needs no credential. Then posts of many connections share one call, and expired credentials
   * do not matter. A wait that the platform requests then applies to all of it, not to one connection.
   */
  readonly shared: boolean;
}

/** A post whose metrics are requested. */
export interface ReadPost {
  readonly platformPostId: string;
  readonly sentAt: Date;
  /** The metrics of its newest read; absent before the first. */
  readonly previous?: PostMetrics;
}

/** Running totals. A missing metric was not reported; it is not zero. */
export type PostMetrics = Readonly<Partial<Record<MetricName, number>>>;

/** Metrics by platformPostId. A post that is absent, or has no metrics any more, keeps its newest read. */
export type MetricsReading = ReadonlyMap<string, PostMetrics | 'gone'>;
