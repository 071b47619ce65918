/** The text of a post for an item of a feed. Pure. */
import type { ParsedItem } from './parse-feed.ts';

export const DEFAULT_TEMPLATE = '{title}\n\n{link}';

const PLACEHOLDER = /\{(title|link|summary)\}/g;

/** Whether a template names something of the item. */
export function hasPlaceholder(template: string): boolean {
  return template.search(PLACEHOLDER) !== -1;
}

/** Replaces each placeholder once: what an item contains is text, also when it looks like a placeholder. */
export function fillTemplate(template: string, { title, link, summary }: ParsedItem): string {
  const values = { title, link: link ?? '', summary };
  const text = template.replaceAll(PLACEHOLDER, (_all, name: keyof typeof values) => values[name]);
  return text.replaceAll(/\n{3,}/g, '\n\n').trim() || title || link || summary;
}
