/** How networks split messages, by the table of the alphabets. */
import { expect, it } from 'vitest';
import { countSegments } from '../../platforms/sms/segments.ts';

it.each([
  ['one letter', 'a', 1],
  ['160 letters', 'a'.repeat(160), 1],
  ['161 letters', 'a'.repeat(161), 2],
  ['306 letters, two segments of 153', 'a'.repeat(306), 2],
  ['307 letters', 'a'.repeat(307), 3],
  ['1,600 letters', 'a'.repeat(1_600), 11],
  ['letters of the alphabet that are not ASCII', 'é'.repeat(160), 1],
  ['80 signs that take two units', '€'.repeat(80), 1],
  ['81 of them', '€'.repeat(81), 2],
  ['a sign of two units that does not fit the end of a segment', `${'a'.repeat(152)}€${'a'.repeat(152)}`, 3],
  ['a line break', 'a\nb', 1],
  ['70 letters outside the alphabet', 'ж'.repeat(70), 1],
  ['71 of them', 'ж'.repeat(71), 2],
  ['134 of them, two segments of 67', 'ж'.repeat(134), 2],
  ['one letter outside among 70 inside', `${'a'.repeat(70)}ж`, 2],
  ['35 emoji of two units', '🔔'.repeat(35), 1],
  ['67 emoji: no segment ends inside one', '🔔'.repeat(67), 3],
])('%s', (_what, text, segments) => {
  expect(countSegments(text)).toBe(segments);
});
