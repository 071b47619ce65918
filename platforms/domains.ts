/**
 * Finds where a domain in a text ends, by the rules of twitter-text, which several platforms use: under an existing
 * top-level domain. Runs in linear time.
 */
import tlds from 'tlds' with { type: 'json' };

/** Onion services are linked too, which domain lists do not contain. */
const TLDS: ReadonlySet<string> = new Set([...tlds, 'onion']);
const LONGEST_TLD = Math.max(...[...TLDS].map((tld) => tld.length));

/** Maximum length of a domain label. */
const LABEL_MAX = 63;

const DIRECTIONAL = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';

/** A run of characters without punctuation or spaces; domains consist of such characters. */
export const DOMAIN_RUN = new RegExp(
  `[^\\s\\u0085\\u180e\\ufffe\\uffff${DIRECTIONAL}!'#%&()*+,\\\\/:;<=>?@[\\]^{|}~$"\`]+`,
  'g',
);

/** End of the longest domain that begins at the start of a run; undefined when there is none. */
export function domainEnd(text: string, start: number, runEnd: number): number | undefined {
  let found: number | undefined;
  let labelStart = start;
  for (let dot = text.indexOf('.', start); dot !== -1 && dot < runEnd; dot = text.indexOf('.', labelStart)) {
    const label = text.slice(labelStart, dot);
    if (!isLabel(label)) return found;
    labelStart = dot + 1;
    const tld = label.includes('_') ? 0 : tldLength(text, labelStart);
    if (tld > 0) found = labelStart + tld;
  }
  return found;
}

function isLabel(label: string): boolean {
  return label !== '' && label.length <= LABEL_MAX && !/^[-_]|[-_]$/.test(label);
}

/** Length of the top-level domain at a position, if no character that could extend it follows; 0 when there is none. */
export function tldLength(text: string, at: number): number {
  const candidate = text.slice(at, at + LONGEST_TLD).toLowerCase();
  const punycode = /^xn--[-0-9a-z]+/i.exec(text.slice(at, at + LABEL_MAX));
  if (punycode !== null) return punycode[0].length;
  for (let length = candidate.length; length > 0; length -= 1) {
    if (TLDS.has(candidate.slice(0, length)) && !/[0-9a-z@+-]/i.test(text.charAt(at + length))) return length;
  }
  return 0;
}
