/** Removes the quotation marks or the code fence that a model put around a text despite its instructions. Pure. */

const FENCE = /^```\w*\n(?<inside>[^]*?)\n?```$/;

/** The pairs of marks that models put around a text. */
const PAIRS = [
  { opening: '"', closing: '"' },
  { opening: '“', closing: '”' },
  { opening: "'", closing: "'" },
] as const;
type Pair = (typeof PAIRS)[number];

/** Of any kind, because models replace straight marks with curly ones. */
const QUOTED = /^\p{Quotation_Mark}[^]*\p{Quotation_Mark}$/u;

/** A mark, with the characters next to it. */
const MARK = /(?<=(?<before>^|[^]))(?<mark>["'“”])(?=(?<after>$|[^]))/gu;
const BEFORE_OPENING = /^$|[\s\p{Ps}\p{Pi}\p{Pd}\p{Quotation_Mark}]/u;
const AFTER_CLOSING = /^$|[\s\p{P}]/u;

/**
 * @param answer without space around it
 * @returns the answer without one wrapper, if that is around the whole text and the original has none
 */
export function unwrapAnswer(answer: string, original: string): string {
  const trimmed = original.trim();
  if (FENCE.test(trimmed)) return answer;
  const fenced = FENCE.exec(answer)?.groups?.['inside'];
  if (fenced !== undefined) return fenced.includes('```') ? answer : fenced.trim();
  const pair = PAIRS.find(({ opening, closing }) => answer.startsWith(opening) && answer.endsWith(closing));
  if (pair === undefined || answer.length < 2 || QUOTED.test(trimmed)) return answer;
  const inside = answer.slice(1, -1);
  const roles = rolesOf(inside, pair);
  return isNested(roles) || roles === rolesOf(trimmed, pair) ? inside.trim() : answer;
}

/** Says of each mark of a pair, in order: `o` opens, `c` closes, `?` may do either. Apostrophes are left out. */
function rolesOf(text: string, pair: Pair): string {
  return Array.from(text.matchAll(MARK), ({ groups = {} }) => {
    const { before = '', mark = '', after = '' } = groups;
    if (mark !== pair.opening && mark !== pair.closing) return '';
    if (pair.opening !== pair.closing) return mark === pair.opening ? 'o' : 'c';
    const opens = BEFORE_OPENING.test(before) && /\S/.test(after);
    const closes = AFTER_CLOSING.test(after) && /\S/.test(before);
    if (opens !== closes) return opens ? 'o' : 'c';
    return mark === "'" && !opens ? '' : '?';
  }).join('');
}

/** Whether each mark that opens is closed. If not, the outer marks may belong to two quotations. */
function isNested(roles: string): boolean {
  let depth = 0;
  for (const role of roles) {
    depth += role === 'o' ? 1 : -1;
    if (role === '?' || depth < 0) return false;
  }
  return depth === 0;
}
