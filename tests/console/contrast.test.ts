/** The colours: text and controls meet WCAG's AA contrast on each background they are used on, in both schemes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const css = await readFile(join(import.meta.dirname, '../../console/assets/carillon.css'), 'utf8');
const [light = '', dark = ''] = css.split('@media (prefers-color-scheme: dark)');

/** Colours on the backgrounds they are used on, with the least contrast each needs. */
const PAIRS: [colour: string, grounds: string[], least: number][] = [
  ['ink', ['ground', 'surface', 'sunken'], 7],
  ['soft', ['ground', 'surface', 'sunken'], 4.5],
  ['accent', ['ground', 'surface', 'sunken'], 4.5],
  ['bronze', ['surface', 'ground'], 4.5],
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
  ['light', light],
  ['dark', dark],
])('in the %s scheme', (_scheme, part) => {
  const colours = new Map(
    [...part.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name as string, hex as string]),
  );

  it.each(PAIRS)('%s is legible on %j', (colour, grounds, least) => {
    for (const ground of grounds) {
      expect(contrast(colours.get(colour) ?? '', colours.get(ground) ?? '')).toBeGreaterThanOrEqual(least);
    }
  });
});
