/** Removes secrets from a text, in every form in which a platform may repeat them. Pure. */

/** The mask that replaces a secret. */
const MASK = '…';

/** Values shorter than this occur in too many words to be secret. */
const SECRET_MIN = 4;

/** Secrets shorter than this are masked only as whole words, so that other words stay intact. */
const INSIDE_WORDS_FROM = 8;

/** Pieces of secrets of at least this length are masked too: platforms truncate what they repeat. */
const PIECES_FROM = 16;

/** Minimum length of a masked piece. */
const PIECE = 12;

/** Maximum characters of a text that are checked; the rest is dropped. */
const TEXT_MAX = 16_384;

/** Masks every secret, every piece of a long secret, and the encoded forms of both. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  const shown = text.slice(0, TEXT_MAX);
  const lower = lowered(shown);
  const hidden = new Uint8Array(shown.length);
  const isCut = /(?:…|\.\.\.)$/.test(shown) || shown.length < text.length;
  for (const form of formsOf(secrets)) {
    hideWhole(lower, form, hidden);
    hidePieces(lower, form, hidden);
    if (isCut) hideStart(lower, form, hidden);
  }
  return masked(shown, hidden);
}

/** Every form of every secret, in lower case: the hexadecimal digits of an encoding may have either case. */
function formsOf(secrets: Iterable<string>): Set<string> {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SECRET_MIN) continue;
    for (const form of [secret, ...encodedForms(secret)]) {
      if (form.length >= SECRET_MIN) forms.add(lowered(form));
    }
  }
  return forms;
}

function encodedForms(secret: string): string[] {
  const text = secret.toWellFormed();
  const percent = encodeURIComponent(text);
  const form = new URLSearchParams({ '': text }).toString().slice(1);
  const json = JSON.stringify(text).slice(1, -1);
  const html = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
  return [percent, form, json, json.replaceAll('/', '\\/'), html, ...base64Forms(text)];
}

/** Base64 of the secret at each of its three possible offsets, without the digits that neighboring bytes affect. */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  if (bytes.length < INSIDE_WORDS_FROM) return [];
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const whole = Math.floor(((before + bytes.length) * 8) / 6);
    const digits = encoded.slice(Math.ceil((before * 8) / 6), whole);
    return [digits, digits.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function hideWhole(text: string, form: string, hidden: Uint8Array): void {
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
    const end = at + form.length;
    const isWholeWord = !isWord(text[at - 1]) && !isWord(text[end]);
    if (form.length >= INSIDE_WORDS_FROM || isWholeWord) hidden.fill(1, at, end);
  }
}

function hidePieces(text: string, form: string, hidden: Uint8Array): void {
  if (form.length < PIECES_FROM) return;
  const pieces = new Set(Array.from({ length: form.length - PIECE + 1 }, (_, at) => form.slice(at, at + PIECE)));
  for (let at = 0; at + PIECE <= text.length; at += 1) {
    if (pieces.has(text.slice(at, at + PIECE))) hidden.fill(1, at, at + PIECE);
  }
}

/** Finds the start of a secret at the point where a text was truncated. */
function hideStart(text: string, form: string, hidden: Uint8Array): void {
  if (form.length < INSIDE_WORDS_FROM) return;
  const end = text.replace(/(?:…|\.\.\.)$/, '').length;
  for (let length = Math.min(form.length - 1, end); length >= SECRET_MIN; length -= 1) {
    if (!text.startsWith(form.slice(0, length), end - length)) continue;
    hidden.fill(1, end - length, end);
    return;
  }
}

function masked(text: string, hidden: Uint8Array): string {
  let result = '';
  for (let at = 0; at < text.length; at += 1) {
    if (hidden[at] === 0) result += text[at];
    else if (at === 0 || hidden[at - 1] === 0) result += MASK;
  }
  return result;
}

/** Changes ASCII letters only, so that every character keeps its position. */
function lowered(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}
