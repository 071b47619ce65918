/**
 * Reads the items of an RSS, RDF or Atom document. The parser expands no entities of the document and loads nothing, and
 * is not recursive, so that neither size nor depth of what a stranger writes costs more than its bytes. Pure.
 */
import { Parser } from 'htmlparser2';
import { cleanText, htmlToText } from './html-to-text.ts';

/** Most items that are read of a document, the first ones: feeds begin with the newest. */
export const ITEMS_READ_MAX = 200;

const TITLE_MAX = 200;
const SUMMARY_MAX = 280;
const ADDRESS_MAX = 2_000;

/** No date is longer, and looking for its zone takes the square of its length. */
const DATE_MAX = 100;

export interface ParsedItem {
  /** Its guid or id, or else its link. */
  readonly key: string;
  /** Plain text; empty without one. */
  readonly title: string;
  /** An http(s) address; null without one. */
  readonly link: string | null;
  /** Plain text; empty without one. */
  readonly summary: string;
  readonly publishedAt: Date | null;
  /** Whether the document gives no time of that day; `publishedAt` is then its start in UTC. */
  readonly isDatedByDay: boolean;
}

/** The fields of an item as the document has them, as HTML or text. */
type Fields = Record<string, string>;

/** Elements of items, with their names here. Those that come first win. */
const FIELDS: Readonly<Record<string, string>> = {
  title: 'title',
  guid: 'id',
  id: 'id',
  link: 'link',
  description: 'summary',
  summary: 'summary',
  content: 'content',
  'content:encoded': 'content',
  pubdate: 'published',
  published: 'published',
  issued: 'published',
  'dc:date': 'published',
  updated: 'updated',
  modified: 'updated',
};

const ROOTS: ReadonlySet<string> = new Set(['rss', 'feed', 'rdf:rdf']);

/** @returns null when the document is no feed */
export function parseFeed(document: string): ParsedItem[] | null {
  const items: ParsedItem[] = [];
  let root = '';
  let depth = 0;
  let item: Fields | null = null;
  let itemDepth = 0;
  let field: string | null = null;
  let isText = false;
  let value = '';
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => {
        const name = tag.toLowerCase();
        depth += 1;
        if (depth === 1) root = name;
        if (item === null && (name === 'item' || name === 'entry')) {
          item = {};
          itemDepth = depth;
          if (attributes['rdf:about'] !== undefined) item['about'] = attributes['rdf:about'];
        } else if (item !== null && depth === itemDepth + 1) {
          field = FIELDS[name] ?? null;
          value = '';
          // Atom says what its text is, and is plain otherwise; the text of RSS is HTML.
          isText = (attributes['type'] ?? (root === 'feed' ? 'text' : 'html')) === 'text' || field === 'id';
          if (field === 'link') value = atomLink(attributes);
        } else if (field !== null) value += `<${name}>`;
      },
      ontext: (text) => {
        if (field !== null) value += depth === itemDepth + 1 && !isText ? text : escapeHtml(text);
      },
      onclosetag: (tag, isImplied) => {
        const name = tag.toLowerCase();
        if (item !== null && depth === itemDepth + 1 && field !== null) {
          if (value.trim() !== '') item[field] ??= value;
          field = null;
        } else if (item !== null && depth === itemDepth) {
          // A document that was cut off ends within its last item.
          const read = isImplied ? null : itemOf(item);
          if (read !== null && items.length < ITEMS_READ_MAX) items.push(read);
          item = null;
        } else if (field !== null) value += `</${name}>`;
        depth -= 1;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(document);
  parser.end();
  return ROOTS.has(root) ? items : null;
}

/** The address of an Atom link to the page of the item; others lead to comments, to files, or to the feed. */
function atomLink(attributes: Readonly<Record<string, string>>): string {
  const { href, rel = 'alternate' } = attributes;
  return href === undefined || rel !== 'alternate' ? '' : escapeHtml(href);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Null for an item that nothing identifies. */
function itemOf(fields: Readonly<Fields>): ParsedItem | null {
  const link = addressOf(plain(fields['link'])) ?? addressOf(plain(fields['id'])) ?? addressOf(fields['about'] ?? '');
  const key = plain(fields['id']) || (link ?? '');
  if (key === '') return null;
  const published = (fields['published'] ?? fields['updated'] ?? '').trim();
  return {
    key,
    title: htmlToText(fields['title'] ?? '', TITLE_MAX).replaceAll(/\s+/g, ' '),
    link,
    summary: htmlToText(fields['summary'] ?? fields['content'] ?? '', SUMMARY_MAX),
    publishedAt: dateOf(published),
    isDatedByDay: !published.includes(':'),
  };
}

function plain(field: string | undefined): string {
  if (field === undefined) return '';
  return cleanText(field.replaceAll('&lt;', '<').replaceAll('&amp;', '&'));
}

function addressOf(text: string): string | null {
  if (text.length > ADDRESS_MAX) return null;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

/** After a time: an offset, or a name of a zone that `Date` knows. Some writers put the year or a comment behind it. */
const ZONE = /:\d{2}.*?(?:z\b|[+-]\d|\b(?:utc?|gmt|[ecmp][sd]t)\b)/i;

/** A day of ISO 8601, which `Date` reads as UTC. */
const ISO_DAY = /^\d{4}(?:-\d{2}){0,2}$/;

/** A date without a zone is taken as UTC, on every machine. */
function dateOf(text: string): Date | null {
  if (text.length > DATE_MAX) return null;
  const isComplete = ZONE.test(text) || ISO_DAY.test(text);
  const date = new Date(isComplete ? text : `${text}${/^\d{4}-\d{2}-\d{2}T/i.test(text) ? 'Z' : ' UTC'}`);
  return Number.isNaN(date.getTime()) ? null : date;
}
