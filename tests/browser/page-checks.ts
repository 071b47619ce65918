/** Checks for every page of a connect session: layout, touch targets, keyboard, screen reader and security headers. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page, Response } from 'playwright-core';
import { expect } from 'vitest';
import type { Customer } from './customer.ts';
import { keepScreenshot } from './screenshots.ts';

/** Size of a typical phone screen. */
export const PHONE = { width: 390, height: 844 };

/** The narrowest page that must not scroll sideways (WCAG 2.2, 1.4.10). */
export const NARROWEST = { width: 320, height: 640 };

export const DESKTOP = { width: 1280, height: 800 };

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const AXE_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The elements that Tab reaches on the page, from top to bottom. */
const CONTROLS = `[...document.querySelectorAll('a[href], button, select, input:not([type=hidden])')]
  .filter((element) => element.checkVisibility())
  .map((element) => ({ element, box: element.getBoundingClientRect() }))
  .toSorted((a, b) => a.box.top - b.box.top || a.box.left - b.box.left)`;

const NAME = `const name = (element) => element.labels?.[0]?.textContent ?? element.textContent.trim();`;

/** Least height and width of a touch target. */
const TOUCH_PX = 44;

/** Final targets of forms: the app of the tests on localhost, and any redirect from there. */
export const BACK = ['http://localhost:*', 'https:'];

export interface Expected {
  /** Targets that forms may have besides the product itself; empty when the page has none. */
  readonly leadsTo: readonly string[] | 'itself';
  /** Further permissions of the page. */
  readonly also?: Readonly<Record<string, string>>;
  /** Name of a screenshot for the guide; taken with SCREENSHOTS=1. */
  readonly picture?: string;
}

/** Checks the page that the customer sees, before any interaction with it. */
export async function expectGoodPage(customer: Customer, { leadsTo, also = {}, picture }: Expected): Promise<void> {
  const { page } = customer;
  await page.waitForLoadState();
  expectGuarded(customer.answer(), leadsTo, also);
  await expectKeyboard(page);
  await expectTouchable(page);
  for (const size of [NARROWEST, DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    const [needed, has] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    );
    expect(needed, `width of the page on ${size.width} px`).toBeLessThanOrEqual(has);
    // Disabled scripts are disabled for the checker too.
    if (customer.scripts && size !== NARROWEST) await expectAccessible(page);
  }
  if (picture !== undefined) await keepScreenshot(page, picture);
}

function expectGuarded(answer: Response, leadsTo: Expected['leadsTo'], also: NonNullable<Expected['also']>): void {
  const targets = leadsTo === 'itself' ? [] : leadsTo;
  const { 'content-security-policy': policy = '', ...headers } = answer.headers();
  const directives = Object.fromEntries(policy.split('; ').map((directive) => directive.split(/ (.*)/, 2)));
  expect(directives).toEqual({
    'default-src': "'none'",
    'style-src': "'self'",
    'img-src': "'self'",
    'base-uri': "'none'",
    'form-action': leadsTo.length === 0 ? "'none'" : ["'self'", ...targets].join(' '),
    'frame-ancestors': "'none'",
    ...also,
  });
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
}

/** In both colour schemes. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const options = JSON.stringify({ runOnly: AXE_RULES, resultTypes: ['violations'] });
    const { violations, passes } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
    const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} (${colorScheme}): ${html}`));
    expect(found).toEqual([]);
    expect(passes.map(({ id }) => id)).toContain('color-contrast');
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Tab visits all elements in visual order, and the focus is visible. */
async function expectKeyboard(page: Page): Promise<void> {
  const inOrder = await page.evaluate<string[]>(
    `(() => { ${NAME} return ${CONTROLS}.map(({ element }) => name(element)); })()`,
  );
  const reached: { name: string; outline: number }[] = [];
  for (let presses = 0; presses < inOrder.length; presses += 1) {
    await page.keyboard.press('Tab');
    reached.push(
      await page.evaluate<{ name: string; outline: number }>(`(() => {
        ${NAME}
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
        return { name: name(document.activeElement), outline: outlineStyle === 'solid' ? parseFloat(outlineWidth) : 0 };
      })()`),
    );
  }
  // The focus outline of the stylesheet.
  expect(reached).toEqual(inOrder.map((name) => ({ name, outline: 3 })));
  await page.evaluate('document.activeElement.blur()');
}

async function expectTouchable(page: Page): Promise<void> {
  const small = await page.evaluate<string[]>(`(() => {
    ${NAME}
    return ${CONTROLS}
      .filter(({ box }) => Math.min(box.width, box.height) < ${TOUCH_PX})
      .map(({ element, box }) => name(element) + ': ' + box.width + ' x ' + box.height);
  })()`);
  expect(small).toEqual([]);
}
