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
  const length = countText(text, facts);
  if (length > facts.maxLength) {
    return refused(`${subject} has ${length} ${facts.unit.plural}; ${platform.name} takes at most ${facts.maxLength}.`);
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

function tooMany(platform: AnyPlatform, subject: string, count: number, max: number, what: string): ItemError | null {
  if (count <= max) return null;
  return refused(`${subject} has ${count} ${what}; ${platform.name} takes at most ${max}.`);
}

function refused(message: string): ItemError {
  return { code: 'platform_rejected', message };
}
