/**
 * Links, mentions and hashtags in a text. Bluesky has no markup: a facet marks each by its offsets in UTF-8
 * bytes. Pure; the caller resolves the handles of mentions.
 *
 * @see https://docs.bsky.app/docs/advanced-guides/post-richtext
 */
import { countText, GRAPHEMES } from '../text.ts';

/** A range of text, in UTF-8 bytes from the start; the end is exclusive. */
interface ByteSlice {
  readonly byteStart: number;
  readonly byteEnd: number;
}

/** A candidate for a facet. */
export type Entity =
  | { readonly kind: 'link'; readonly index: ByteSlice; readonly uri: string }
  | { readonly kind: 'mention'; readonly index: ByteSlice; readonly handle: string }
  | { readonly kind: 'tag'; readonly index: ByteSlice; readonly tag: string };

/** A facet as a record stores it. */
export interface Facet {
  readonly index: ByteSlice;
  readonly features: readonly [{ readonly $type: string } & Readonly<Record<string, string>>];
}

/** Largest hashtag, without its `#`. */
const TAG_LIMITS = { maxLength: 64, unit: GRAPHEMES, maxBytes: 640 } as const;

/** Longest handle, in characters. */
const HANDLE_MAX = 253;

/** Where a mention, a hashtag or a URL without a scheme may begin. */
const OPENING = String.raw`(?<=^|[\s\p{Ps}\p{Pi}"'])`;

/** Characters that no URL contains: white space, brackets of markup, quotes, and East Asian punctuation. */
const NOT_IN_ADDRESS = String.raw`\s<>"“”«»\u3001-\u3003\u3008-\u3011\uff08\uff09\uff0c`;

/**
 * Top-level domains that tell a URL without a scheme from `node.js` and from a missing space. The list is short,
 * common and lower case: a false link is worse than a missing one.
 */
const ENDINGS =
  'com|org|net|edu|gov|info|io|dev|app|social|blog|news|xyz|ai|co|eu|uk|de|fr|es|nl|ch|se|dk|fi|pl|cz|pt|ie|jp|kr|br|ca|au|nz';

const SCHEME_ADDRESS = new RegExp(String.raw`(?<![a-z0-9])https?://(?!/)[^${NOT_IN_ADDRESS}]+`, 'giu');
const SCHEMELESS_ADDRESS = new RegExp(
  String.raw`${OPENING}(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?\.)+(?:${ENDINGS})(?![\w@-]|\.[a-zA-Z0-9])(?::\d+)?(?:[/?#][^${NOT_IN_ADDRESS}]*)?`,
  'gu',
);
const MENTION = new RegExp(
  String.raw`${OPENING}@((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?)(?![\w@])`,
  'giu',
);
/** `#` and `＃`, but not the keycap emoji that starts with one. */
const HASHTAG = new RegExp(String.raw`${OPENING}[#＃](?!\ufe0f)([^\s#＃\u00ad\u200b\u2060]+)`, 'gu');

/** Finds all candidates for facets in the text, in order and without overlaps. */
export function findEntities(text: string): Entity[] {
  const slice = (start: number, length: number): ByteSlice => {
    const byteStart = Buffer.byteLength(text.slice(0, start));
    return { byteStart, byteEnd: byteStart + Buffer.byteLength(text.slice(start, start + length)) };
  };
  const found: Entity[] = [];
  for (const match of text.matchAll(SCHEME_ADDRESS)) {
    const uri = withoutTail(match[0]);
    if (URL.canParse(uri)) found.push({ kind: 'link', index: slice(match.index, uri.length), uri });
  }
  for (const match of text.matchAll(SCHEMELESS_ADDRESS)) {
    const address = withoutTail(match[0]);
    found.push({ kind: 'link', index: slice(match.index, address.length), uri: `https://${address}` });
  }
  for (const [mention, handle = '', index] of matches(text, MENTION)) {
    if (handle.length > HANDLE_MAX) continue;
    found.push({ kind: 'mention', index: slice(index, mention.length), handle: handle.toLowerCase() });
  }
  for (const [, word = '', index] of matches(text, HASHTAG)) {
    const tag = word.replace(/\p{P}+$/u, '');
    if (isTag(tag)) found.push({ kind: 'tag', index: slice(index, 1 + tag.length), tag });
  }
  return withoutOverlaps(found);
}

/**
 * Builds the facets of a record.
 *
 * @param dids accounts by handle; a mention whose handle is not among them stays plain text
 */
export function toFacets(entities: readonly Entity[], dids: ReadonlyMap<string, string>): Facet[] {
  return entities.flatMap((entity) => {
    const feature = featureOf(entity, dids);
    return feature === undefined ? [] : [{ index: entity.index, features: [feature] as const }];
  });
}

function featureOf(entity: Entity, dids: ReadonlyMap<string, string>): Facet['features'][0] | undefined {
  switch (entity.kind) {
    case 'link':
      return { $type: 'app.bsky.richtext.facet#link', uri: entity.uri };
    case 'tag':
      return { $type: 'app.bsky.richtext.facet#tag', tag: entity.tag };
    case 'mention': {
      const did = dids.get(entity.handle);
      return did === undefined ? undefined : { $type: 'app.bsky.richtext.facet#mention', did };
    }
  }
}

function* matches(text: string, pattern: RegExp): Generator<[string, string | undefined, number]> {
  for (const match of text.matchAll(pattern)) yield [match[0], match[1], match.index];
}

/** A hashtag needs at least one character that is neither a digit nor punctuation. */
function isTag(tag: string): boolean {
  if (!/[^\p{N}\p{P}]/u.test(tag)) return false;
  return countText(tag, TAG_LIMITS) <= TAG_LIMITS.maxLength && Buffer.byteLength(tag) <= TAG_LIMITS.maxBytes;
}

/** Strips the punctuation of the surrounding sentence from a URL. Balanced brackets stay. */
function withoutTail(address: string): string {
  let rest = address;
  for (;;) {
    const last = rest.at(-1) ?? '';
    const opening = { ')': '(', ']': '[', '}': '{' }[last];
    const isTail = opening === undefined ? /[.,;:!?'’…。！？*]/u.test(last) : count(rest, last) > count(rest, opening);
    if (!isTail) return rest;
    rest = rest.slice(0, -1);
  }
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

/** Sorts by position. If two overlap, keeps the one that was found first. */
function withoutOverlaps(found: readonly Entity[]): Entity[] {
  const kept: Entity[] = [];
  for (const entity of found) {
    const { byteStart, byteEnd } = entity.index;
    if (kept.every(({ index }) => byteEnd <= index.byteStart || index.byteEnd <= byteStart)) kept.push(entity);
  }
  return kept.toSorted((one, other) => one.index.byteStart - other.index.byteStart);
}
