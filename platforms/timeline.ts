/** Stores the posts of a platform that has no server: the one for test keys. */

/** An image of a post on the timeline. */
export interface TimelineImage {
  /** Id of the original upload. */
  readonly mediaId: string;
  readonly altText: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** A stored post. */
export interface TimelinePost {
  readonly id: string;
  readonly text: string;
}

/** The accounts and posts of the platform for test keys. */
export interface Timeline {
  /** Creates an account and returns its id. */
  openAccount(): string;
  /** Accepts a post. For a token that it has already seen, it returns the existing post. */
  append(post: {
    accountId: string;
    handle: string;
    text: string;
    images: readonly TimelineImage[];
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
