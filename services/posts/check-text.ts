/** Checks whether a text fits a connection, by the platform's facts and the limits of the account's own server. */
import { type AnyPlatform, type ConnectionLimits } from '../../platforms/contract.ts';
import { countHashtags, countMentions, countText, type TextUnit } from '../../platforms/text.ts';
import type { PartError } from './send-part.ts';

/** A unit in words, for messages. */
const UNIT_WORDS: Record<TextUnit, string> = {
  graphemes: 'characters',
  characters: 'characters',
  utf16: 'UTF-16 units',
  weighted: 'weighted characters',
  emoji_bytes: 'characters, counting an emoji as its bytes',
};

/** The maximum that a connection accepts, as words for messages. */
export function textLimit(platform: AnyPlatform, limits: ConnectionLimits | null): string {
  const { maxLength, unit } = { ...platform.text, ...limits?.text };
  return `${maxLength} ${UNIT_WORDS[unit]}`;
}

/**
 * @param subject the name of the text in the message
 * @returns null when the text fits; otherwise platform_rejected naming the limit and the value
 *   (docs/contract/posts.md#refused-before-sending)
 */
export function checkText(
  platform: AnyPlatform,
  limits: ConnectionLimits | null,
  text: string,
  subject = 'The text',
): PartError | null {
  const facts = { ...platform.text, ...limits?.text };
  const length = countText(text, facts);
  if (length > facts.maxLength) {
    const unit = UNIT_WORDS[facts.unit];
    return refused(`${subject} has ${length} ${unit}; ${platform.name} takes at most ${facts.maxLength}.`);
  }
  const bytes = Buffer.byteLength(text);
  if (facts.maxBytes !== undefined && bytes > facts.maxBytes) {
    return refused(`${subject} has ${bytes} bytes in UTF-8; ${platform.name} takes at most ${facts.maxBytes}.`);
  }
  const { maxHashtags = Infinity, maxMentions = Infinity } = facts;
  return (
    tooMany(platform, subject, countHashtags(text), maxHashtags, 'hashtags') ??
    tooMany(platform, subject, countMentions(text), maxMentions, 'mentions')
  );
}

function tooMany(platform: AnyPlatform, subject: string, count: number, max: number, what: string): PartError | null {
  if (count <= max) return null;
  return refused(`${subject} has ${count} ${what}; ${platform.name} takes at most ${max}.`);
}

function refused(message: string): PartError {
  return { code: 'platform_rejected', message };
}
