/**
 * Little text, LinkedIn's format for the text of a post. Some characters are reserved; LinkedIn truncates or
 * refuses a text that does not escape them. Hashtags stay hashtags; everything else is literal.
 *
 * @see https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format
 */

/**
 * Reserved characters, except a # that begins a hashtag. None begins after a word or inside a link, which may have no scheme:
 * `bells.example/#tower`.
 */
const RESERVED = /[\\|{}@[\]()<>*_~]|#(?![\p{L}\p{N}])|(?<=[\p{L}\p{N}_#/=&]|https?:\/\/[^\s<>]*)#/giu;

/** The form in which LinkedIn returns a hashtag. */
const HASHTAG_TEMPLATE = /\{hashtag\|(?:\\?[#＃])\|((?:[^{}|\\]|\\.)*)\}/gu;

export function toLittleText(text: string): string {
  return text.toWellFormed().replace(RESERVED, '\\$&');
}

/** Converts little text to the text that people see. */
export function fromLittleText(little: string): string {
  return little.replace(HASHTAG_TEMPLATE, '#$1').replace(/\\(.)/gsu, '$1');
}
