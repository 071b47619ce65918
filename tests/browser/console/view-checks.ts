/** What holds on every view: accessible in every scheme and size, no sideways scrolling, and a visible focus. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { AXE_RULES, DESKTOP, NARROWEST, PHONE } from '../page-checks.ts';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Media features of each scheme; an earlier scheme's features are set back. */
const SCHEMES = {
  light: { colorScheme: 'light', contrast: 'no-preference', forcedColors: 'none' },
  dark: { colorScheme: 'dark', contrast: 'no-preference', forcedColors: 'none' },
  'high contrast': { colorScheme: 'light', contrast: 'more', forcedColors: 'none' },
  'dark high contrast': { colorScheme: 'dark', contrast: 'more', forcedColors: 'none' },
  'forced colors': { colorScheme: 'dark', contrast: 'more', forcedColors: 'active' },
} as const;

type Scheme = keyof typeof SCHEMES;

const SIZES = { phone: PHONE, desktop: DESKTOP } as const;

/** A scheme changes only colors, and these are the same in every size but for what only a phone shows. */
const OTHER_SCHEMES: Readonly<Record<keyof typeof SIZES, readonly Scheme[]>> = {
  phone: ['dark'],
  desktop: ['dark', 'high contrast', 'dark high contrast', 'forced colors'],
};

const HEIGHT_MAX = 30_000;

/** How many elements are reached by Tab. */
const TABS = 12;

/** Checks the view that the page shows, in all sizes and schemes. */
export async function expectGoodView(page: Page): Promise<void> {
  await expectFocusVisible(page);
  await page.setViewportSize(NARROWEST);
  await expectNoSidewaysScroll(page, 'narrowest');
  for (const [name, size] of Object.entries(SIZES)) {
    await page.setViewportSize(size);
    // As high as the content: what the bar at the bottom covers now, it does not cover after scrolling.
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    await page.setViewportSize({ ...size, height: Math.min(Math.max(height, size.height), HEIGHT_MAX) });
    await expectNoSidewaysScroll(page, name);
    await expectNoViolation(page, 'light', name);
    for (const scheme of OTHER_SCHEMES[name as keyof typeof SIZES]) await expectContrast(page, scheme, name);
  }
  await page.emulateMedia(SCHEMES.light);
}

/** @param where names the state of the page in a failure */
export function expectNoViolation(page: Page, scheme: Scheme, where: string): Promise<void> {
  return expectNothingFound(page, scheme, where, AXE_RULES);
}

/** The rules about colors only. */
function expectContrast(page: Page, scheme: Scheme, where: string): Promise<void> {
  return expectNothingFound(page, scheme, where, ['color-contrast', 'link-in-text-block']);
}

async function expectNothingFound(page: Page, scheme: Scheme, where: string, rules: readonly string[]): Promise<void> {
  await page.emulateMedia(SCHEMES[scheme]);
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'] });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} (${scheme}, ${where}): ${html} ${failureSummary}`),
  );
  expect(found).toEqual([]);
}

async function expectNoSidewaysScroll(page: Page, where: string): Promise<void> {
  const [needed, has] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  );
  expect(needed, `width of the page, ${where}`).toBeLessThanOrEqual(has);
}

/** The first Tab reaches the skip link, and every focused element shows an outline. */
async function expectFocusVisible(page: Page): Promise<void> {
  const reached: { name: string; outline: number }[] = [];
  // Tab begins at the top of the page, wherever a test has clicked.
  await page.evaluate('document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute("tabindex")');
  for (let presses = 0; presses < TABS; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<{ name: string; outline: number } | null>(`(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return null;
      const shown = element.matches('input[type=checkbox], input[type=radio]')
        ? element.closest('label')?.querySelector('.checkbox-box, .radio-dot') ?? element
        // The button of a place to drop files on is not seen, the place is.
        : element.closest('.drop-zone[data-focus-visible]') ?? element;
      const { outlineStyle, outlineWidth } = getComputedStyle(shown);
      return {
        name: (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40),
        outline: ['none', 'hidden'].includes(outlineStyle) ? 0 : parseFloat(outlineWidth),
      };
    })()`);
    if (focused === null) break;
    reached.push(focused);
  }
  expect(reached[0]?.name).toBe('Skip to content');
  expect(reached.filter(({ outline }) => outline < 2)).toEqual([]);
}
