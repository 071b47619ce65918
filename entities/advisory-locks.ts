/** Numbers of the advisory locks that processes of one database take, each for one purpose. */
export const ADVISORY_LOCKS = {
  /** Held while migrations run. */
  migrations: 4_221_002,
  /** Held while the first account of an install is created. */
  firstStart: 4_221_003,
  /** Held by the process that makes deliveries of events, so that they are made in the order of the events. */
  fanOut: 4_221_004,
} as const;
