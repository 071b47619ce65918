/** The colours: text and controls meet WCAG's contrast on each background they are used on, in all four schemes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const css = await readFile(join(import.meta.dirname, '../../console/assets/tokens.css'), 'utf8');

/** Colours of the rules whose condition is given; an empty one for those without. */
function coloursOf(condition: string): Map<string, string> {
  const [, rule = ''] = css.split(condition === '' ? '\n:root {' : `@media ${condition} {`);
  const body = rule.slice(0, rule.indexOf('\n}'));
  return new Map(
    [...body.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name as string, hex as string]),
  );
}

const LIGHT = coloursOf('');
const DARK = new Map([...LIGHT, ...coloursOf('(prefers-color-scheme: dark)')]);
const BRIGHT = new Map([...LIGHT, ...coloursOf('(prefers-contrast: more)')]);
// The later rule wins over both others.
const DARKEST = new Map([
  ...DARK,
  ...coloursOf('(prefers-contrast: more)'),
  ...coloursOf('(prefers-contrast: more) and (prefers-color-scheme: dark)'),
]);

/** Colours on the backgrounds they are used on, with the least contrast each needs. */
const PAIRS: [colour: string, grounds: string[], least: number][] = [
  ['ink', ['ground', 'surface', 'sunken'], 7],
  ['soft', ['ground', 'surface', 'sunken'], 4.5],
  ['accent', ['ground', 'surface', 'sunken'], 4.5],
  ['bronze', ['surface', 'ground'], 4.5],
  ['ground', ['bronze', 'ink'], 4.5],
  ['series-1', ['surface'], 3],
  ['series-2', ['surface'], 3],
  ['series-3', ['surface'], 3],
  ['series-4', ['surface'], 3],
  ['series-5', ['surface'], 3],
  ['bad', ['surface', 'sunken'], 4.5],
  ['good', ['surface'], 4.5],
  ['wait', ['surface'], 4.5],
  ['on-accent', ['accent'], 4.5],
  ['edge', ['surface'], 3],
];

/** Relative luminance (WCAG 2.2). */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

describe.each([
  ['light', LIGHT, 1],
  ['dark', DARK, 1],
  ['high contrast', BRIGHT, 1.5],
  ['dark high contrast', DARKEST, 1.5],
])('in the %s scheme', (_scheme, colours, factor) => {
  it.each(PAIRS)('%s is legible on %j', (colour, grounds, least) => {
    for (const ground of grounds) {
      const seen = contrast(colours.get(colour) ?? '', colours.get(ground) ?? '');
      expect(seen, `${colour} on ${ground}`).toBeGreaterThanOrEqual(least * factor);
    }
  });
});
