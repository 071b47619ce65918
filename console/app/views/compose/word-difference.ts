/** The difference of two texts by words: the longest common sequence, as in the classic dynamic program. Pure. */

export interface Difference {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Above this many comparisons the middle counts as replaced: the table would take long and much memory. */
const COMPARISONS_MAX = 4_000_000;

export function differenceOf(before: string, after: string): Difference[] {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const middle = difference(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return joined([
    { kind: 'same', text: a.slice(0, start).join('') },
    ...middle,
    { kind: 'same', text: a.slice(a.length - end).join('') },
  ]);
}

/** Words and the spaces between them. */
function wordsOf(text: string): string[] {
  return text.match(/\s+|[^\s]+/g) ?? [];
}

function difference(a: readonly string[], b: readonly string[]): Difference[] {
  if (a.length * b.length > COMPARISONS_MAX) {
    return [
      { kind: 'removed', text: a.join('') },
      { kind: 'added', text: b.join('') },
    ];
  }
  const lengths = commonLengths(a, b);
  const at = (i: number, j: number) => lengths[i * (b.length + 1) + j] ?? 0;
  const parts: Difference[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [word, other] = [a[i], b[j]];
    if (word !== undefined && word === other) {
      parts.push({ kind: 'same', text: word });
      i += 1;
      j += 1;
    } else if (other === undefined || (word !== undefined && at(i + 1, j) >= at(i, j + 1))) {
      parts.push({ kind: 'removed', text: word ?? '' });
      i += 1;
    } else {
      parts.push({ kind: 'added', text: other });
      j += 1;
    }
  }
  return parts;
}

/** Of every pair of ends of the two lists, how many words they have in common, in order; row by row. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const same = (lengths[(i + 1) * width + j + 1] ?? 0) + 1;
      const longer = Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
      lengths[i * width + j] = a[i] === b[j] ? same : longer;
    }
  }
  return lengths;
}

function joined(parts: readonly Difference[]): Difference[] {
  const result: Difference[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.text === '') continue;
    if (last?.kind === part.kind) result[result.length - 1] = { kind: part.kind, text: last.text + part.text };
    else result.push(part);
  }
  return result;
}
