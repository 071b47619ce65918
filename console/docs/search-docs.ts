/** Full-text search in the documentation: one entry for each section of a page. */
import MiniSearch from 'minisearch';
import type { DocLibrary, DocPage } from './doc-pages.ts';
import { anchorOf } from './render-markdown.ts';

/** A section that matches. */
export interface DocMatch {
  /** Path and anchor of the section. */
  readonly url: string;
  readonly page: string;
  /** Heading of the section; the title of the page for its beginning. */
  readonly heading: string;
  /** The beginning of the section, as plain text. */
  readonly excerpt: string;
}

/** Most sections in an answer. */
const MATCHES_MAX = 30;

const EXCERPT_LENGTH = 240;

interface Section extends DocMatch {
  readonly id: string;
  readonly text: string;
}

/** A search that needs every word: whole, as the beginning of a longer one, or with a small mistake. */
export function createDocSearch({ groups }: DocLibrary): (query: string) => readonly DocMatch[] {
  const sections = groups.flatMap(({ pages }) => pages).flatMap(sectionsOf);
  const byId = new Map(sections.map((section) => [section.id, section]));
  const index = new MiniSearch<Section>({
    fields: ['heading', 'page', 'text'],
    searchOptions: { boost: { heading: 4, page: 2 }, combineWith: 'AND', prefix: true, fuzzy: 0.2 },
  });
  index.addAll(sections);
  return (query) =>
    index
      .search(query)
      .slice(0, MATCHES_MAX)
      .flatMap(({ id }) => byId.get(id as string) ?? [])
      .map(({ url, page, heading, excerpt }) => ({ url, page, heading, excerpt }));
}

function sectionsOf({ url, title, markdown, file }: DocPage): Section[] {
  return markdown.split(/^(?=#{1,4} )/m).map((part, position) => {
    const heading = /^#{1,4} (.+)$/m.exec(part)?.[1] ?? title;
    const text = plainText(part.replace(/^#.*$/m, ''));
    const isTitle = part.startsWith('# ');
    return {
      id: `${file} ${position}`,
      url: isTitle ? url : `${url}#${anchorOf(heading)}`,
      page: title,
      heading: plainText(heading),
      text,
      excerpt: text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH).replace(/\s\S*$/, '')} …` : text,
    };
  });
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/^ *```.*$/gm, ' ')
    .replaceAll(/[`*|]|^[-#>\d.]+ |-{3,}/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
