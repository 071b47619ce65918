/** What platforms need to know of the install, as the operator set it up. */

/** Base URLs that the operator may override. */
export interface PlatformEndpoints {
  readonly BLUESKY_SERVICE_URL: string;
  readonly META_GRAPH_URL: string;
  readonly META_AUTH_URL: string;
  readonly X_API_URL: string;
  readonly X_AUTH_URL: string;
  /** Origin of this install, where the sandbox's pages are served. */
  readonly PUBLIC_URL: string;
}

/** What a platform knows this install by. */
export interface PlatformApp {
  readonly clientId: string;
  /** Undefined for an app that has none. */
  readonly clientSecret: string | undefined;
}

/** The apps from configuration, by platform; null where the operator has registered none. */
export interface PlatformApps {
  readonly x: PlatformApp | null;
  /** Facebook's too. */
  readonly meta: Required<PlatformApp> | null;
}
