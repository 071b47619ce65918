/** How a text is converted for Reddit: a title, and markdown that shows the rest unchanged. */
import { describe, expect, it } from 'vitest';
import { fromMarkdown, toMarkdown } from '../../platforms/reddit/markdown.ts';
import { submissionOf } from '../../platforms/reddit/submission.ts';
import { createSeededRandom } from '../harness/seeded-random.ts';
import { createTestClock } from '../harness/test-clock.ts';

describe('a text as markdown', () => {
  it.each([
    ['plain, with (brackets) - and a dash.', 'plain, with (brackets) - and a dash.'],
    ['*a* _b_ `c` ~~d~~ ^e |f| \\g', '\\*a\\* \\_b\\_ \\`c\\` \\~\\~d\\~\\~ \\^e \\|f\\| \\\\g'],
    ['[text](https://bells.example)', '\\[text\\](https://bells.example)'],
    ['>!hidden!< & <b>', '\\>!hidden!\\< & \\<b\\>'],
    ['AT&T, &amp; and &#42;', 'AT&T, \\&amp; and \\&#42;'],
    [
      '# no heading\n- no list\n+ nor this\n1. nor this\n2) nor that',
      '\\# no heading  \n\\- no list  \n\\+ nor this  \n1\\. nor this  \n2\\) nor that',
    ],
    ['---', '\\---'],
    ['not a heading\n===', 'not a heading  \n\u200b==='],
    ['    no code\n\tnor here', '\u00a0\u00a0\u00a0\u00a0no code  \n\u00a0nor here'],
    ['one\n\ntwo\r\nthree', 'one\n\ntwo  \nthree'],
    ['see https://bells.example/a_b_c~d, then *go*', 'see https://bells.example/a_b_c~d, then \\*go\\*'],
    ['(https://bells.example/x_)_y_', '(https://bells.example/x_)_y_'],
    ['https://youtu.be/dQw4w9WgXc_ *now*', 'https://youtu.be/dQw4w9WgXc_ \\*now\\*'],
    [
      "https://bells.example/Moore's_law, (https://bells.example/a_(b))",
      "https://bells.example/Moore's_law, (https://bells.example/a_(b))",
    ],
    ['https://bells.example/?ids[]=1&a|b', 'https://bells.example/?ids[]=1&a|b'],
    ['[https://bells.example/x[1]]', '\\[<https://bells.example/x[1]>\\]'],
    ['<https://bells.example/x>', '\\<<https://bells.example/x>\\>'],
    ['**https://bells.example/x**!', '\\*\\*<https://bells.example/x>\\*\\*!'],
    [
      '\\https://bells.example/a\\b `https://bells.example/c`',
      '\\\\<https://bells.example/a>\\\\b \\`<https://bells.example/c>\\`',
    ],
    ['see www.bells.example/the_tower~1, ok', 'see www.bells.example/the_tower~1, ok'],
    ['u/bell_ringer of r/bell_towers, snake_case_, _x', 'u/bell_ringer of r/bell_towers, snake_case\\_, \\_x'],
    ['https://*a* https://', 'https://\\*a\\* https://'],
    ['half a \ud83d pair', 'half a \ufffd pair'],
  ])('%j becomes %j', (text, markdown) => {
    expect(toMarkdown(text)).toBe(markdown);
  });

  it('puts no backslash into a URL, and reads back unchanged', () => {
    const random = createSeededRandom('urls', createTestClock());
    const alphabet = ['https://', ...'\\`*_[](){}~^|<>&#.,;:!?"\'= ab1字'];
    for (let round = 0; round < 2_000; round += 1) {
      const text = Array.from(random.bytes(24), (byte) => alphabet[byte % alphabet.length])
        .join('')
        .trimStart();
      const markdown = toMarkdown(text);

      // As Reddit finds URLs: to the next white space, or to the end of the angle brackets.
      const urls =
        markdown.match(
          /<https?:\/\/[\p{L}\p{N}[][^\s<>]*>|(?<![\\<]|https?:\/\/[^\s<]*)https?:\/\/[\p{L}\p{N}[][^\s<]*/giu,
        ) ?? [];
      expect(urls.filter((url) => url.includes('\\'))).toEqual([]);
      expect(fromMarkdown(markdown)).toBe(text);
    }
  });

  it('takes a text of closing brackets only as long as it takes to read it', () => {
    const text = `https://bells.example/${')'.repeat(1_000_000)}`;

    expect(toMarkdown(text)).toBe(text);
  });

  it('escapes every special character outside URLs, and reads back unchanged', () => {
    const random = createSeededRandom('markdown', createTestClock());
    const alphabet = [...'\\`*_[]~^|<>&#+-.)=1 ab字;'];
    for (let round = 0; round < 2_000; round += 1) {
      const text = Array.from(random.bytes(24), (byte) => alphabet[byte % alphabet.length]).join('');
      const markdown = toMarkdown(text);

      expect(markdown.replace(/\\[^A-Za-z\d\s]/gu, 'x')).not.toMatch(
        /[\\`*[\]~^|<>]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|^[#+-]|^\d+[.)]/u,
      );
      expect(
        fromMarkdown(markdown)
          .trimStart()
          .replace(/^\u200b/u, ''),
      ).toBe(text.trimStart());
    }
  });
});

describe('a text as a post', () => {
  it.each([
    ['One line', { kind: 'self', title: 'One line', content: '' }],
    ['  Title  \n\n\n  body *x* \n', { kind: 'self', title: 'Title', content: '\u00a0\u00a0body \\*x\\*' }],
    ['\n\nTitle\nbody', { kind: 'self', title: 'Title', content: 'body' }],
    ['https://bells.example', { kind: 'link', title: 'https://bells.example', content: 'https://bells.example' }],
    ['https://bells.example now', { kind: 'self', title: 'https://bells.example now', content: '' }],
    ['https://', { kind: 'self', title: 'https://', content: '' }],
    ['n'.repeat(300), { kind: 'self', title: 'n'.repeat(300), content: '' }],
    ['n'.repeat(301), { kind: 'self', title: `${'n'.repeat(299)}…`, content: 'n'.repeat(301) }],
    [
      `${'é'.repeat(298)}👩‍👩‍👧‍👦\nmore`,
      { kind: 'self', title: `${'é'.repeat(298)}…`, content: `${'é'.repeat(298)}👩‍👩‍👧‍👦  \nmore` },
    ],
  ])('%j becomes %j', (text, submission) => {
    expect(submissionOf(text)).toEqual(submission);
  });
});
