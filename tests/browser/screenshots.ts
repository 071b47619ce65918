/** The pictures of docs/guide/connect.md: taken by the walks themselves, with SCREENSHOTS=1, and by nothing else. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { REPOSITORY } from '../crash/server-process.ts';

const FOLDER = join(REPOSITORY, 'docs/images/connect');

/** Ports differ at each run; in the pictures a name stands for them. */
const NAME_SERVERS = `
  const named = (text) => text.replace(/(?:http:\\/\\/)?(?:127\\.0\\.0\\.1|localhost):\\d+/g, 'social.example');
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = named(texts.currentNode.data);
  for (const input of document.querySelectorAll('input')) input.value = named(input.value);`;

/** Takes the page as it is on a phone, in both colour schemes. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (process.env['SCREENSHOTS'] !== '1') return;
  await page.evaluate(NAME_SERVERS);
  const size = page.viewportSize() ?? { width: 390, height: 844 };
  // As high as what is on it.
  await page.setViewportSize({ ...size, height: 320 });
  await mkdir(FOLDER, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const picture = await page.screenshot({ fullPage: true, animations: 'disabled' });
    await sharp(picture)
      .png({ palette: true, colours: 64, effort: 10 })
      .toFile(join(FOLDER, `${name}-${colorScheme}.png`));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(size);
}
