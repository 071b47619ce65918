/** A post as rules look at it: where it goes, and everything of it that people read. */

/** A post, as far as rules look at it. */
export interface PolicyPost {
  readonly connectionId: string;
  readonly connectionSlug: string;
  readonly platformId: string;
  /** Everything of it that people read. */
  readonly texts: readonly string[];
  /** The fee for sending it, in cents. */
  readonly feeCents: number;
}

/** What people read of a post. */
export interface PostWords {
  readonly text: string;
  readonly thread: readonly string[];
  readonly firstComment: string | null;
  readonly altTexts: readonly (string | null)[];
}

export function policyPost(
  connection: { readonly id: string; readonly slug: string; readonly platformId: string },
  { text, thread, firstComment, altTexts }: PostWords,
  feeCents: number,
): PolicyPost {
  return {
    connectionId: connection.id,
    connectionSlug: connection.slug,
    platformId: connection.platformId,
    texts: [text, ...thread, ...[firstComment, ...altTexts].filter((words) => words !== null)],
    feeCents,
  };
}
