/** What holds in the frame of every view: accessible in light and dark, no sideways scrolling, and a visible focus. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { expect } from 'vitest';
import { AXE_RULES, NARROWEST } from '../page-checks.ts';
import type { Shown } from './chat-host.ts';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function expectGoodFrame({ page, view, host }: Shown): Promise<void> {
  const size = page.viewportSize() ?? NARROWEST;
  await page.setViewportSize(NARROWEST);
  // The frame gets its width after the page.
  await expect.poll(() => view.evaluate('document.documentElement.clientWidth')).toBe(NARROWEST.width);
  expect(await view.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(NARROWEST.width);
  for (const theme of ['dark', 'light']) {
    await host(`setContext({ theme: ${JSON.stringify(theme)} })`);
    await expect.poll(() => view.evaluate('document.documentElement.style.colorScheme')).toBe(theme);
    if (!(await view.evaluate<boolean>('"axe" in window'))) await view.evaluate(AXE);
    const options = JSON.stringify({ runOnly: AXE_RULES, resultTypes: ['violations'] });
    const { violations } = await view.evaluate<AxeResults>(`axe.run(document, ${options})`);
    const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} (${theme}): ${html}`));
    expect(found).toEqual([]);
  }
  await page.setViewportSize(size);
  await expectFocusVisible({ page, view });
}

/** Tab reaches every control, and each shows an outline. */
async function expectFocusVisible({ page, view }: Pick<Shown, 'page' | 'view'>): Promise<void> {
  const controls = view.locator('a[href], button:enabled, select, summary').filter({ visible: true });
  const count = await controls.count();
  if (count === 0) return;
  await controls.first().focus();
  // The first focus came from a script, which shows no outline.
  await page.keyboard.press('Shift+Tab');
  const reached = new Set<string>();
  for (let presses = 0; presses < count + 2; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await view.evaluate<[string, number] | null>(`(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const name = element.tagName + ' ' + (element.getAttribute('aria-label') ?? element.textContent);
      return [name, outlineStyle === 'none' ? 0 : parseFloat(outlineWidth)];
    })()`);
    if (focused === null) continue;
    const [name, outline] = focused;
    expect({ name, isVisible: outline >= 2 }).toEqual({ name, isVisible: true });
    reached.add(name);
  }
  expect(reached.size).toBeGreaterThan(0);
}
