/**
 * Reads the items of an RSS, RDF or Atom document. The parser expands no entities of the document and loads nothing, and
 * stops at a depth that no feed has, so that what a stranger writes costs no more than its bytes. Pure.
 */
import { Parser } from 'htmlparser2';
import { cleanText, htmlToText } from './html-to-text.ts';
import { DEPTH_MAX } from './depth-max.ts';

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

/** Depth of the link of a channel: below the root and the channel. */
const PAGE_DEPTH = 3;

/** What marks the prefix of a root as that of Atom, of RFC 4287 and of Atom 0.3. */
const ATOM: ReadonlySet<string> = new Set(['http://www.w3.org/2005/Atom', 'http://purl.org/atom/ns#']);

const ROOTS: ReadonlySet<string> = new Set(['rss', 'feed', 'rdf:rdf']);

/**
 * @param address where the document was read, which relative links begin at unless it names another base
 * @returns null when the document is no feed
 */
export function parseFeed(document: string, address = ''): ParsedItem[] | null {
  const items: ParsedItem[] = [];
  let root = '';
  /** With its colon; empty without one. */
  let prefix = '';
  let depth = 0;
  let item: Fields | null = null;
  let itemDepth = 0;
  let field: string | null = null;
  let isText = false;
  let isTooDeep = false;
  let value = '';
  /** What links within each open element are relative to (RFC 4287 section 2). */
  const bases = [address];
  const baseNow = () => bases.at(-1) ?? address;
  const nameOf = (tag: string) => {
    const name = tag.toLowerCase();
    if (prefix === '') return name;
    // In a document with a prefix, names without it are of another vocabulary.
    return name.startsWith(prefix) ? name.slice(prefix.length) : `:${name}`;
  };
  const stop = () => {
    isTooDeep = true;
    parser.pause();
  };
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => {
        depth += 1;
        if (depth > DEPTH_MAX) return stop();
        if (depth === 1) prefix = atomPrefix(tag, attributes);
        const name = nameOf(tag);
        if (depth === 1) root = name;
        bases.push(addressOf(attributes['xml:base'] ?? '', baseNow()) ?? baseNow());
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
        } else if (item === null && depth === PAGE_DEPTH && name === 'link' && root !== 'feed') {
          field = 'page';
          value = '';
        } else if (field !== null) value += `<${tag.toLowerCase()}>`;
      },
      ontext: (text) => {
        if (field === 'page') value += text;
        else if (field !== null) value += depth === itemDepth + 1 && !isText ? text : escapeHtml(text);
      },
      onclosetag: (tag, isImplied) => {
        if (field === 'page') {
          // The links of RSS are relative to the page of its channel, as readers of feeds take them.
          const page = addressOf(value.trim(), baseNow());
          // The items of RDF are beside the channel.
          if (depth === PAGE_DEPTH && page !== null) bases.fill(page, 1, PAGE_DEPTH);
          field = null;
        } else if (item !== null && depth === itemDepth + 1 && field !== null) {
          const read = field === 'link' ? (addressOf(plain(value), baseNow()) ?? '') : value;
          if (read.trim() !== '') item[field] ??= read;
          field = null;
        } else if (item !== null && depth === itemDepth) {
          // A document that was cut off ends within its last item.
          const read = isImplied ? null : itemOf(item);
          if (read !== null && items.length < ITEMS_READ_MAX) items.push(read);
          item = null;
        } else if (field !== null) value += `</${tag.toLowerCase()}>`;
        depth -= 1;
        bases.pop();
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(document);
  parser.end();
  return ROOTS.has(root) && !isTooDeep ? items : null;
}

/** The prefix of the names of a document whose root is `<prefix:feed>`. */
function atomPrefix(root: string, attributes: Readonly<Record<string, string>>): string {
  const [, prefix] = /^([^:]+):feed$/i.exec(root) ?? [];
  return prefix !== undefined && ATOM.has(attributes[`xmlns:${prefix}`] ?? '') ? `${prefix.toLowerCase()}:` : '';
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
  const link = fields['link'] ?? addressOf(plain(fields['id'])) ?? addressOf(fields['about'] ?? '');
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

/** An http(s) address, made absolute. Words in the place of one, such as "to follow", are none. */
function addressOf(text: string, base = ''): string | null {
  if (text === '' || text.length > ADDRESS_MAX) return null;
  const url = URL.parse(text) ?? (/\s/.test(text) ? null : URL.parse(text, base));
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
