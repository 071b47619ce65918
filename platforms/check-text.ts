/** Checks whether a text fits a connection, by the platform's facts and the limits of the account's own server. */
import type { ItemError } from '../errors/item-error.ts';
import { type AnyPlatform, type ConnectionLimits } from './contract.ts';
import { countHashtags, countMentions, countText } from './text.ts';

/** The maximum that a connection accepts, as words for messages. */
export function textLimit(platform: AnyPlatform, limits: ConnectionLimits | null): string {
  const { maxLength, unit } = { ...platform.text, ...limits?.text };
  return `${maxLength} ${unit.plural}`;
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
): ItemError | null {
  const facts = { ...platform.text, ...limits?.text };
  const { maxLength, maxBytes = Infinity, maxHashtags = Infinity, maxMentions = Infinity } = facts;
  return (
    tooMany(platform, subject, countText(text, facts), maxLength, facts.unit.plural) ??
    tooMany(platform, subject, Buffer.byteLength(text), maxBytes, 'bytes in UTF-8') ??
    tooMany(platform, subject, countHashtags(text), maxHashtags, 'hashtags') ??
    tooMany(platform, subject, countMentions(text), maxMentions, 'mentions')
  );
}

/** @returns null up to the maximum; otherwise platform_rejected naming the limit and the value */
export function tooMany(
  platform: AnyPlatform,
  subject: string,
  count: number,
  max: number,
  what: string,
): ItemError | null {
  if (count <= max) return null;
  return {
    code: 'platform_rejected',
    message: `${subject} has ${count} ${what}; ${platform.name} takes at most ${max}.`,
  };
}
