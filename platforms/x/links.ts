/**
 * Finds links in a text as X does, by the rules of its twitter-text: with http(s) or bare, under an existing
 * top-level domain. It replaces that package, which takes seconds for a text of many dots and patches built-in
 * objects. Runs in linear time.
 */
import { DOMAIN_RUN, domainEnd, tldLength } from '../domains.ts';

/** Position of a link, in UTF-16 units. */
export interface Link {
  readonly start: number;
  readonly end: number;
}

/** Maximum length of a link that X recognizes, in UTF-16 units. */
const LINK_MAX = 4096;

/** Non-ASCII Latin letters that bare domains and paths may contain. */
const ACCENTED =
  '\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f\\u0253\\u0254\\u0256\\u0257\\u0259\\u025b\\u0263\\u0268\\u026f\\u0272\\u0289\\u028b\\u02bb\\u0300-\\u036f\\u1e00-\\u1eff';
/** Characters before which X recognizes no link: letters, and the characters that begin a mention or tag. */
const BOUNDARY = /[^a-z0-9@＠$#＃\ufeff\ufffe\uffff]/i;
const PROTOCOL = /(?<=^|[^a-z0-9@＠$#＃\ufeff\ufffe\uffff])https?:\/\/$/i;
const LONGEST_PROTOCOL = 'x https://'.length;

/** Labels of bare domains, each followed by a dot. */
const SCHEMELESS_LABELS = new RegExp(`(?:[-a-z0-9${ACCENTED}]+\\.)+`, 'gi');

const PATH_CHARACTER = `[-a-z0-9!*';:=+,.$/%#[\\]\\u2013_~@|&\\u0400-\\u04ff${ACCENTED}]`;
const PARENTHESES = `\\((?:${PATH_CHARACTER}+|${PATH_CHARACTER}*\\(${PATH_CHARACTER}+\\)${PATH_CHARACTER}*)\\)`;
const PATH_END = `[-+a-z0-9=_#/\\u0400-\\u04ff${ACCENTED}]`;
const PATH = `/(?:(?:${PATH_CHARACTER}|${PARENTHESES})*(?:${PATH_END}|${PARENTHESES}))?`;
const QUERY = "\\?[-a-z0-9!?*'@();:&=+$/%#[\\]_.,~|]*[-a-z0-9_&=#/]";

/** What may follow a domain: a port, a path, a query. */
const REST = new RegExp(`(?::\\d+)?(?<path>${PATH})?(?:${QUERY})?`, 'iy');

/** Finds all links of a text, in order. */
export function findLinks(text: string): Link[] {
  if (!text.includes('.')) return [];
  const links: Link[] = [];
  const runs = new RegExp(DOMAIN_RUN);
  for (let run = runs.exec(text); run !== null; run = runs.exec(text)) {
    // A link may extend beyond the run of its domain, and another link may follow in the same run.
    runs.lastIndex = addLinks(text, run.index, runs.lastIndex, links);
  }
  return links;
}

/** Whether X recognizes any link in a text. */
export function hasLink(text: string): boolean {
  return findLinks(text.normalize()).length > 0;
}

/** Adds the links whose domain starts in a run. Returns the position to continue from. */
function addLinks(text: string, start: number, runEnd: number, links: Link[]): number {
  const protocol = PROTOCOL.exec(text.slice(Math.max(0, start - LONGEST_PROTOCOL), start))?.[0].length;
  if (protocol === undefined)
    return addSchemelessLinks(text, schemelessStart(text, start, runEnd, links), runEnd, links);
  const end = domainEnd(text, start, runEnd);
  if (end === undefined) return runEnd;
  const link = { start: start - protocol, end: end + rest(text, end).length };
  if (link.end - link.start > LINK_MAX) return runEnd;
  links.push(link);
  return link.end;
}

/** Position in a run at which a domain without http(s) may begin; the end of the run when there is none. */
function schemelessStart(text: string, runStart: number, runEnd: number, links: readonly Link[]): number {
  if (runStart === 0) return 0;
  // A character that belongs to the previous link is no boundary.
  const behindBoundary = runStart > (links.at(-1)?.end ?? 0) && BOUNDARY.test(text.charAt(runStart - 1));
  const within = behindBoundary ? -1 : text.slice(runStart, runEnd).search(BOUNDARY);
  if (!behindBoundary && within === -1) return runEnd;
  const start = runStart + within + 1;
  return '-_./'.includes(text.charAt(start - 1)) ? runEnd : start;
}

/** Bare domains consist of Latin letters only, so several may appear between letters of other scripts. */
function addSchemelessLinks(text: string, start: number, runEnd: number, links: Link[]): number {
  const end = domainEnd(text, start, runEnd);
  if (end === undefined) return runEnd;
  let goOn = end;
  for (const match of text.slice(start, end).matchAll(SCHEMELESS_LABELS)) {
    const from = start + match.index;
    const to = lastTldEnd(text, from, from + match[0].length);
    if (to === undefined) continue;
    const { length, hasPath } = rest(text, to);
    goOn = to === end && hasPath ? end + length : end;
    links.push({ start: from, end: to === end ? goOn : to });
  }
  return goOn;
}

/** End of the last top-level domain that follows one of the dots between two positions. */
function lastTldEnd(text: string, from: number, to: number): number | undefined {
  for (let dot = to - 1; dot > from; dot = text.lastIndexOf('.', dot - 1)) {
    const tld = tldLength(text, dot + 1);
    if (tld > 0) return dot + 1 + tld;
  }
  return undefined;
}

/** The text after a domain that belongs to the link. */
function rest(text: string, at: number): { length: number; hasPath: boolean } {
  REST.lastIndex = at;
  const match = REST.exec(text);
  return { length: match?.[0].length ?? 0, hasPath: match?.groups?.['path'] !== undefined };
}
