import { describe, expect, it } from 'vitest';
import { CHARACTERS, countHashtags, countMentions, countText, GRAPHEMES, UTF16_UNITS } from '../../platforms/text.ts';
import { EMOJI_BYTES } from '../../platforms/threads/emoji-bytes.ts';
import { WEIGHTED } from '../../platforms/x/weigh.ts';

const FAMILY = '👨‍👩‍👧‍👦';
const ACCENTED = 'e\u0301';

describe('countText', () => {
  it.each<[string, Readonly<Record<string, number>>]>([
    ['', { graphemes: 0, characters: 0, utf16: 0, weighted: 0 }],
    ['hello', { graphemes: 5, characters: 5, utf16: 5, weighted: 5 }],
    ['two\nlines', { graphemes: 9, characters: 9, utf16: 9, weighted: 9 }],
    ['two\r\nlines', { graphemes: 9, characters: 10, utf16: 10, weighted: 10 }],
    ['é', { graphemes: 1, characters: 1, utf16: 1, weighted: 1 }],
    [ACCENTED, { graphemes: 1, characters: 2, utf16: 2, weighted: 1 }],
    ['🎉', { graphemes: 1, characters: 1, utf16: 2, weighted: 2 }],
    ['🇨🇭', { graphemes: 1, characters: 2, utf16: 4, weighted: 2 }],
    ['👍🏽', { graphemes: 1, characters: 2, utf16: 4, weighted: 2 }],
    [FAMILY, { graphemes: 1, characters: 7, utf16: 11, weighted: 2 }],
    ['日本語', { graphemes: 3, characters: 3, utf16: 3, weighted: 6 }],
    ['\ud800', { graphemes: 1, characters: 1, utf16: 1, weighted: 2 }],
  ])('counts %j in every unit', (text, expected) => {
    const counted = Object.fromEntries(
      [GRAPHEMES, CHARACTERS, UTF16_UNITS, WEIGHTED].map((unit) => [
        unit.name,
        countText(text, { maxLength: 500, unit }),
      ]),
    );

    expect(counted).toEqual(expected);
  });

  it.each([
    ['https://example.com', 23],
    ['http://a.io', 23],
    [`https://example.com/${'x'.repeat(200)}`, 23],
    ['see https://example.com/a, ok', 4 + 23 + 4],
    ['(https://example.com/a)', 1 + 23 + 1],
    ['https://example.com.', 23 + 1],
    ['https://en.wikipedia.org/wiki/Foo_(bar)', 23],
    ['(https://en.wikipedia.org/wiki/Foo_(bar)).', 1 + 23 + 2],
    ["https://example.com/it's-a-long-address", 23],
    ["'https://example.com/a'", 1 + 23 + 1],
    ["https://example.com's page", 23 + 7],
    ['https://example.com/a?)', 23 + 2],
    ['https://example.com?q=1!', 23 + 1],
    ['https://example.com/?q=', 23],
    ['https://example.com/?q=(1)', 23 + 1],
    ['**See https://example.com/page**', 2 + 4 + 23 + 2],
    ['「https://example.com/a」', 1 + 23 + 1],
    ['https://example.com/{a}', 23],
    ['https://..', 10],
    ['https://', 8],
    ['https://a.io https://b.io', 23 + 1 + 23],
    ['example.com', 11],
    ['ftp://example.com', 17],
    ['hi @alice@social.example', 9],
    ['hi @alice@social.example.', 10],
    ['hi @alice', 9],
    ['alice@social.example', 20],
    ['🎉 https://example.com', 2 + 23],
    ['https://example.com,ding', 23 + 5],
    ['https://example.com日本語', 23 + 3],
    ['https://example.com/日本語', 23],
    ['https://example.com:8080/a', 23],
    ['https://example.com/a,https://example.com/b', 23],
    ['https://example.com,https://example.com', 23 + 1 + 23],
    ['http://localhost:3000/bells', 27],
    ['xhttps://example.com', 20],
    ['日本@alice@social.example', 23],
    ['(@alice@social.example)', 8],
  ])('counts %j as %i if links count as 23', (text, expected) => {
    expect(countText(text, { maxLength: 500, unit: GRAPHEMES, urlLength: 23 })).toBe(expected);
  });

  it.each([
    ['', 0],
    ['hello', 5],
    ['é', 1],
    [ACCENTED, 2],
    ['日本語', 3],
    ['🎉', 4],
    ['two 🎉🎉', 4 + 8],
    ['👍🏽', 8],
    ['🇨🇭', 8],
    ['❤️', 6],
    ['1️⃣', 7],
    ['1', 1],
    ['#', 1],
    [FAMILY, 25],
    ['\ud800', 1],
  ])('counts %j as %i if an emoji counts as its bytes', (text, expected) => {
    expect(countText(text, { maxLength: 500, unit: EMOJI_BYTES })).toBe(expected);
  });

  it.each([
    ['', 0, 0],
    ['#bells and #ropes', 2, 0],
    ['#bells#ropes ##no a#b &#38;', 1, 0],
    ['#münster_2026, (#日本)', 2, 0],
    ['# no', 0, 0],
    ['@alice and @bob.ringer.', 0, 2],
    ['alice@bells.example @ @@', 0, 0],
  ])('finds in %j %i hashtags and %i mentions', (text, hashtags, mentions) => {
    expect([countHashtags(text), countMentions(text)]).toEqual([hashtags, mentions]);
  });

  it('counts links and mentions in full if the platform does', () => {
    const text = 'hi @alice@social.example https://example.com/abc';

    expect(countText(text, { maxLength: 300, unit: GRAPHEMES })).toBe(text.length);
  });

  it.each([
    ['see example.com now', 4 + 23 + 4],
    ['https://example.com', 23],
    [`https://example.com/${'x'.repeat(300)}`, 23],
    ['https://a.io https://b.io', 23 + 1 + 23],
    ['https://a.io/path, ok.', 23 + 5],
    ['日本語example.com日本語', 6 + 23 + 6],
    ['node.js e.g. this', 17],
    ['ftp://example.com', 17],
    ['“quoted”… —', 2 + 6 + 2 + 1 + 1],
    ['1️⃣ #️⃣ ☺️', 2 + 1 + 2 + 1 + 2],
    ['🏳️‍🌈🧑‍🧑‍🧒', 4],
    ['© ™', 1 + 1 + 2],
    ['Ω я א क', 7],
    ['한국', 4],
    ['a\u200db', 3],
  ])('weighs %j as %i', (text, expected) => {
    expect(countText(text, { maxLength: 280, unit: WEIGHTED })).toBe(expected);
  });
});
