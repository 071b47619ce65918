/** Little text: any typed text is published unchanged, and hashtags stay hashtags. */
import { describe, expect, it } from 'vitest';
import { fromLittleText, toLittleText } from '../../platforms/linkedin/little-text.ts';
import { createSeededRandom } from '../harness/seeded-random.ts';
import { createTestClock } from '../harness/test-clock.ts';
import { readLittleText } from './fakes/little-text-reader.ts';

describe('a text as little text', () => {
  it.each([
    ['plain', 'plain'],
    ['(in brackets) [and] {others}', '\\(in brackets\\) \\[and\\] \\{others\\}'],
    ['back\\slash', 'back\\\\slash'],
    ['a@b.example <c> *d* _e_ ~f~ |g|', 'a\\@b.example \\<c\\> \\*d\\* \\_e\\_ \\~f\\~ \\|g\\|'],
    ['#bells #été #2026 (#one)', '#bells #été #2026 \\(#one\\)'],
    ['# alone, C# and a#b, ##two', '\\# alone, C\\# and a\\#b, \\#\\#two'],
    ['“#bells” 🔔#rings。#été,#2026', '“#bells” 🔔#rings。#été,#2026'],
    ['https://bells.example/#section #bells', 'https://bells.example/\\#section #bells'],
    ['(HTTP://bells.example/a_(b).#c)', '\\(HTTP://bells.example/a\\_\\(b\\).\\#c\\)'],
    ['bells.example/#section, bells.example?q=#a&#b', 'bells.example/\\#section, bells.example?q=\\#a&\\#b'],
    ['#snake_case', '#snake\\_case'],
    ['half a \ud83d pair', 'half a \ufffd pair'],
  ])('%j becomes %j', (text, little) => {
    expect(toLittleText(text)).toBe(little);
  });

  it('can be read back unchanged, for any text', () => {
    const random = createSeededRandom('little text', createTestClock());
    const alphabet = [...'\\|{}@[]()<>#*_~ aZ9é字👩‍👩‍👧\n'];
    for (let round = 0; round < 2_000; round += 1) {
      const text = Array.from(random.bytes(24), (byte) => alphabet[byte % alphabet.length]).join('');

      expect([readLittleText(toLittleText(text)), fromLittleText(toLittleText(text))]).toEqual([text, text]);
    }
  });
});

describe('a text from little text', () => {
  it.each([
    ['{hashtag|\\#|bells} ring', '#bells ring'],
    ['{hashtag|#|snake\\_case}', '#snake_case'],
    ['\\{no hashtag\\}', '{no hashtag}'],
  ])('%j becomes %j', (little, text) => {
    expect(fromLittleText(little)).toBe(text);
  });
});
