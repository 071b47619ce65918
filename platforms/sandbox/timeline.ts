/** The sandbox's store: the data that a real platform keeps on its own servers. services/sandbox implements it. */

/** An image of a post on the timeline. */
export interface SandboxImage {
  /** Id of the original upload. */
  readonly mediaId: string;
  readonly altText: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** A post the sandbox has accepted. */
export interface TimelinePost {
  readonly id: string;
  readonly text: string;
}

export interface SandboxTimeline {
  /** Creates a sandbox account and returns its id. */
  openAccount(): string;
  /** Accepts a post. For a token that it has already seen, it returns the existing post. */
  append(post: {
    accountId: string;
    handle: string;
    text: string;
    images: readonly SandboxImage[];
    token: string;
    /** Id of the parent post of a reply; null for a post. */
    rootId: string | null;
  }): Promise<TimelinePost>;
  /** Returns the post with this token, or null. */
  findByToken(accountId: string, token: string): Promise<TimelinePost | null>;
  /** Returns the post with this id, including a deleted one; null when it never existed. */
  find(accountId: string, id: string): Promise<TimelinePost | null>;
  /** Deletes a post; does nothing when it is already gone. */
  remove(accountId: string, id: string): Promise<void>;
}
