/** The store behind the sandbox: what a real platform would keep on its own servers. services/sandbox implements it. */

/** An image of a post on the timeline. */
export interface SandboxImage {
  /** Id of the upload that it shows. */
  readonly mediaId: string;
  readonly altText: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** A post the sandbox has accepted. */
export interface TimelinePost {
  readonly id: string;
  readonly text: string;
}

export interface SandboxTimeline {
  /** Makes a new sandbox account and gives its id. */
  openAccount(): string;
  /** Accepts a post; with a token it has already seen it gives the post it made then. */
  append(post: {
    accountId: string;
    handle: string;
    text: string;
    images: readonly SandboxImage[];
    token: string;
    /** Id of the post under which it is a reply; null for a post. */
    rootId: string | null;
  }): Promise<TimelinePost>;
  /** The post made with this token, or null. */
  findByToken(accountId: string, token: string): Promise<TimelinePost | null>;
  /** The post with this id, also when it was taken down; null when there never was one. */
  find(accountId: string, id: string): Promise<TimelinePost | null>;
  /** Takes a post down; does nothing when it is already gone. */
  remove(accountId: string, id: string): Promise<void>;
}
