/** Turns HTML of strangers into plain text: paragraphs become lines, and what is not shown is left out. Pure. */
import { Parser } from 'htmlparser2';
import { DEPTH_MAX } from './depth-max.ts';

/** What browsers do not show as text. */
const HIDDEN: ReadonlySet<string> = new Set([
  'script',
  'style',
  'head',
  'template',
  'noscript',
  'iframe',
  'svg',
  'object',
]);

const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside blockquote div dl dd dt figure figcaption footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
);

/**
 * The text ends where elements are nested deeper than DEPTH_MAX.
 *
 * @param max most characters; a longer text is cut after a word and gets an ellipsis
 */
export function htmlToText(html: string, max: number): string {
  let text = '';
  let hidden = 0;
  let depth = 0;
  const parser = new Parser(
    {
      onopentagname: (name) => {
        depth += 1;
        if (depth > DEPTH_MAX) return parser.pause();
        if (HIDDEN.has(name)) hidden += 1;
        else if (name === 'br') text += '\n';
        else if (BLOCKS.has(name)) text += '\n\n';
      },
      ontext: (part) => {
        if (hidden === 0) text += part.replaceAll(/\s+/g, ' ');
      },
      onclosetag: (name) => {
        depth -= 1;
        if (HIDDEN.has(name)) hidden = Math.max(0, hidden - 1);
        else if (BLOCKS.has(name)) text += '\n\n';
      },
    },
    { decodeEntities: true },
  );
  parser.write(html);
  parser.end();
  return shortened(cleanText(text), max);
}

/** Text without control characters and needless space, that can be stored. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

function shortened(text: string, max: number): string {
  const characters = [...text];
  if (characters.length <= max) return text;
  const cut = characters.slice(0, max - 1).join('');
  const space = cut.search(/\s\S*$/);
  return `${(space > max / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
