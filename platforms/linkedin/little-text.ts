/**
 * Little text, the form in which LinkedIn takes what a post says: some characters mean something there, and a
 * text in which they are not escaped is cut off or refused. Hashtags stay hashtags; everything else is literal.
 *
 * @see https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format
 */

/** What has a meaning of its own, other than a # that begins a hashtag. */
const RESERVED = /[\\|{}@[\]()<>*_~]|#(?![\p{L}\p{N}])|(?<=[\p{L}\p{N}_#])#/gu;

/** How LinkedIn gives a hashtag back. */
const HASHTAG_TEMPLATE = /\{hashtag\|(?:\\?[#＃])\|((?:[^{}|\\]|\\.)*)\}/gu;

export function toLittleText(text: string): string {
  return text.toWellFormed().replace(RESERVED, '\\$&');
}

/** The text that people see. */
export function fromLittleText(little: string): string {
  return little.replace(HASHTAG_TEMPLATE, '#$1').replace(/\\(.)/gsu, '$1');
}
