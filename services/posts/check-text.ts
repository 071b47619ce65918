/** Whether a text fits a connection: the platform's facts, under the limits of the account's own server. */
import { type AnyPlatform, type ConnectionLimits } from '../../platforms/contract.ts';
import { countText, type TextUnit } from '../../platforms/text.ts';
import type { PartError } from './send-part.ts';

/** A unit in words, for messages. */
const UNIT_WORDS: Record<TextUnit, string> = {
  graphemes: 'characters',
  characters: 'characters',
  utf16: 'UTF-16 units',
  weighted: 'weighted characters',
};

/** @returns null when the text fits; otherwise platform_rejected naming the limit and the value (D27) */
export function checkText(platform: AnyPlatform, limits: ConnectionLimits | null, text: string): PartError | null {
  const facts = { ...platform.text, ...limits?.text };
  const length = countText(text, facts);
  if (length > facts.maxLength) {
    const unit = UNIT_WORDS[facts.unit];
    return refused(`The text has ${length} ${unit}; ${platform.name} takes at most ${facts.maxLength}.`);
  }
  const bytes = Buffer.byteLength(text);
  if (facts.maxBytes !== undefined && bytes > facts.maxBytes) {
    return refused(`The text has ${bytes} bytes in UTF-8; ${platform.name} takes at most ${facts.maxBytes}.`);
  }
  return null;
}

function refused(message: string): PartError {
  return { code: 'platform_rejected', message };
}
