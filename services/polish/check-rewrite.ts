/**
 * Decides whether a model's answer can replace the original text. It must be only a text, fit the platform, and keep
 * every link, mention and hashtag. A doubtful answer is rejected. Pure.
 */
import type { AnyPlatform, ConnectionLimits } from '../../platforms/contract.ts';
import { findLinks } from '../../platforms/x/links.ts';
import { checkText } from '../../platforms/check-text.ts';
import { PolishFailure } from '../ports/polisher.ts';

/** The requirements for the answer. */
export interface RewriteTerms {
  readonly original: string;
  readonly platform: AnyPlatform;
  readonly limits: ConnectionLimits | null;
  readonly boundary: string;
}

/** @returns the text to send. @throws PolishFailure naming the problem with the answer */
export function checkRewrite(answer: string, terms: RewriteTerms): string {
  const { original, platform, limits, boundary } = terms;
  const text = unwrapped(answer.replaceAll('\r\n', '\n').trim(), original);
  if (text === '') throw new PolishFailure('The model answered without a text.');
  if (text.includes(boundary)) throw new PolishFailure('The model repeated its instructions.');
  // eslint-disable-next-line no-control-regex -- this pattern detects control characters
  if (!text.isWellFormed() || /[\u0000-\u0008\u000b-\u001f\u007f]/.test(text)) {
    throw new PolishFailure('The rewrite holds characters that are no text.');
  }
  if (REMARKS.some((remark) => remark.test(text) && !remark.test(original))) {
    throw new PolishFailure('The model added remarks to the text.');
  }
  const error = checkText(platform, limits, text, 'The rewrite');
  if (error !== null) throw new PolishFailure(error.message);
  for (const { what, find, mayAdd } of KEPT) compare(what, find(original), find(text), mayAdd);
  return text;
}

/** Wrappers that models put around a text despite their instructions; longer ones first. */
const WRAPPERS = [
  /^```\w*\n(?<inside>[^]*?)\n?```$/,
  /^"(?<inside>[^]*)"$/,
  /^“(?<inside>[^]*)”$/,
  /^'(?<inside>[^]*)'$/,
];

function unwrapped(answer: string, original: string): string {
  for (const wrapper of WRAPPERS) {
    const inside = wrapper.exec(answer)?.groups?.['inside'];
    if (inside !== undefined) return wrapper.test(original) ? answer : inside.trim();
  }
  return answer;
}

/** Beginnings of remarks, and tags around a model's reasoning. */
const REMARKS = [
  /<\/?think(?:ing)?>/i,
  /^```/,
  /^(?:sure|certainly|of course|okay|ok)\b[^\n]{0,80}[:!]\s*\n/i,
  /^(?:here(?:'s|’s| is| are)|(?:the |your |my )?(?:improved|polished|rewritten|revised|corrected)\b)[^\n]{0,80}:/i,
];

/** Full URLs, wherever they end; {@link findLinks} also finds bare ones. */
const ADDRESS = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]/giu;
const EMAIL = /(?<![\w.+@-])[\w.+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;

/** Includes the host if there is one; X also accepts a full-width @ sign. */
const MENTION = /(?<![\p{L}\p{N}_@＠.])[@＠][\p{L}\p{N}_.-]*[\p{L}\p{N}_](?:@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)?/gu;
const HASHTAG = /(?<![\p{L}\p{N}_&#＃])[#＃][\p{L}\p{M}\p{N}_]+/gu;

const matches = (pattern: RegExp) => (text: string) => text.match(pattern) ?? [];

/** What a rewrite must keep; only hashtags may be added, within the platform's limits. */
const KEPT = [
  {
    what: 'link',
    find: (text: string) => findLinks(text).map(({ start, end }) => text.slice(start, end)),
    mayAdd: false,
  },
  { what: 'link', find: matches(ADDRESS), mayAdd: false },
  { what: 'mail address', find: matches(EMAIL), mayAdd: false },
  { what: 'mention', find: matches(MENTION), mayAdd: false },
  { what: 'hashtag', find: matches(HASHTAG), mayAdd: true },
] as const;

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
