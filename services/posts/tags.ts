/** Tags: trimmed, lowercase, each once, in the order given (docs/contract/posts.md#tags). Pure. */

/** Maximum number of tags of a post. */
export const TAGS_MAX = 10;

/** Maximum number of characters of a tag. */
export const TAG_MAX = 40;

/** A tag after trimming and lowercasing: 1 to 40 of a-z, 0-9 and - _ : . / */
export const TAG_PATTERN = /^[a-z0-9\-_:./]{1,40}$/;

/** The same as a regular expression source, for input before trimming and lowercasing. */
export const TAG_SENT_PATTERN = String.raw`^\s*[A-Za-z0-9\-_:./]{1,40}\s*$`;

export function normaliseTag(tag: string): string {
  return tag.trim().toLowerCase();
}

export function uniqueTags(tags: readonly string[]): string[] {
  return [...new Set(tags)];
}
