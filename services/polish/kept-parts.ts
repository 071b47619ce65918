/** The parts of a text that an answer of a model must keep: links, addresses, mentions, hashtags and numbers. Pure. */
import { addressesIn, domainLinksIn } from '../words/links.ts';
import { PolishFailure } from '../ports/polisher.ts';

/** Addresses that act without slashes. */
const SCHEME = /\b(?:javascript|vbscript|data|mailto|tel|sms|intent|magnet|file|blob):[^\s<>"']*[^\s<>"'.,;:!?)\]}]/giu;

/** Hosts whose top-level domain is on no public list, and hosts with a path. */
const HOST = /(?:\bwww\.|(?<![\p{L}\p{N}@.-])[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+\/)[^\s<>"']*[^\s<>"'.,;:!?)\]}]/giu;
const EMAIL = /(?<![\w.+@-])[\w.+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;

/** Includes the host if there is one; X also accepts a full-width @ sign. */
const MENTION = /(?<![\p{L}\p{N}_@＠.])[@＠][\p{L}\p{N}_.-]*[\p{L}\p{N}_](?:@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)?/gu;
const HASHTAG = /(?<![\p{L}\p{N}_&#＃])[#＃][\p{L}\p{M}\p{N}_]+/gu;

/**
 * A hyphen or dash right before a number is a sign, unless it joins the number to a word, a number or a unit before it,
 * as in 2020-2021, B-52 and 5%-10%. A currency may be between a sign and its number. An em dash is never a sign.
 */
const SIGN = /(?<![\p{L}\p{N}]\p{M}*|\p{N}\s?\p{Sc}|\p{N}[.'"′″]|[\p{Pe}\p{Pf}%‰°_+-])(?<sign>[+±‐‒–−-])\p{Sc}?/u;

/** As in .5, but not a full stop without a space after it, and no dots. */
const LEADING_POINT = /(?<point>(?<![\p{L}\p{N}]\p{M}*|[\p{Pe}\p{Pf}.…!?])\.)/u;

/** With the separators inside, so that 1.5 is not 15. A hyphen is none: a dash may replace it. */
const DIGITS = /(?<digits>\p{Nd}+(?:[.,:/]\p{Nd}+)*)/u;
const NUMBER = new RegExp(`(?:${SIGN.source})?${LEADING_POINT.source}?${DIGITS.source}`, 'gu');

const KEYCAP = /\p{Nd}\uFE0F?\u20E3/gu;

const matches = (pattern: RegExp) => (text: string) => text.match(pattern) ?? [];

/** Only hashtags may be added, within the platform's limits. */
const KEPT = [
  { what: 'link', find: domainLinksIn, mayAdd: false },
  { what: 'link', find: addressesIn, mayAdd: false },
  { what: 'link', find: matches(SCHEME), mayAdd: false },
  { what: 'link', find: matches(HOST), mayAdd: false },
  { what: 'mail address', find: matches(EMAIL), mayAdd: false },
  { what: 'mention', find: matches(MENTION), mayAdd: false },
  { what: 'hashtag', find: matches(HASHTAG), mayAdd: true },
] as const;

// Browsers read some full-width letters and dots as ordinary ones, so a link can be written with them.
const alike = (text: string) => text.normalize('NFKC').replaceAll('。', '.');

/** @throws PolishFailure naming the kind of part that the answer dropped, changed or added */
export function checkKeptParts(original: string, answer: string): void {
  for (const { what, find, mayAdd } of KEPT) {
    compare(what, find(original), find(answer), mayAdd);
    compare(what, find(alike(original)), find(alike(answer)), mayAdd);
  }
  const [before, after] = [numbersOf(original), numbersOf(answer)];
  if (before.toSorted().join(' ') !== after.toSorted().join(' ')) {
    throw new PolishFailure('The rewrite dropped, changed or added a number.');
  }
}

/** @returns the kinds of links, addresses, mentions and hashtags in a text that should have none */
export function linksAndMentionsOf(text: string): string[] {
  return KEPT.filter(({ find }) => find(text).length > 0 || find(alike(text)).length > 0).map(({ what }) => what);
}

/**
 * Numbers in words of the text: those in hashtags are compared with the hashtags. The ways to write a minus sign count as
 * the same, and so do .5 and 0.5.
 */
function numbersOf(text: string): string[] {
  // A letter in place of a hashtag, so that a hyphen after it is no sign.
  const words = alike(text.replaceAll(HASHTAG, 'x').replaceAll(KEYCAP, ' '));
  return Array.from(words.matchAll(NUMBER), ({ groups = {} }) => {
    const { sign = '', point, digits = '' } = groups;
    return `${sign.replace(/[‐‒–−]/u, '-')}${point === undefined ? '' : '0.'}${digits}`;
  });
}

function compare(what: string, before: readonly string[], after: readonly string[], mayAdd: boolean): void {
  const [had, has] = [counts(before), counts(after)];
  for (const [one, count] of had) {
    if ((has.get(one) ?? 0) < count) throw new PolishFailure(`The rewrite dropped or changed a ${what}.`);
  }
  if (!mayAdd && after.length > before.length) throw new PolishFailure(`The rewrite added a ${what}.`);
}

function counts(found: readonly string[]): Map<string, number> {
  const all = new Map<string, number>();
  for (const one of found) all.set(one, (all.get(one) ?? 0) + 1);
  return all;
}
