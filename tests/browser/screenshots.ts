/** The screenshots of docs/guide/connect.md and docs/guide/connect-agents.md. Only these tests take them, with SCREENSHOTS=1. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { REPOSITORY } from '../crash/server-process.ts';

const FOLDER = join(REPOSITORY, 'docs/images');

/** Ports differ in each run, so screenshots show a fixed name instead. */
const NAMES = { connect: 'social.example', agents: 'carillon.example.com' } as const;

const nameServers = (name: string) => `
  const named = (text) => text.replace(/(?:http:\\/\\/)?(?:127\\.0\\.0\\.1|localhost):\\d+/g, '${name}');
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = named(texts.currentNode.data);
  for (const input of document.querySelectorAll('input')) input.value = named(input.value);`;

/** Captures the page at phone size, in both colour schemes. */
export async function keepScreenshot(page: Page, name: string, folder: keyof typeof NAMES = 'connect'): Promise<void> {
  if (process.env['SCREENSHOTS'] !== '1') return;
  await page.evaluate(nameServers(NAMES[folder]));
  const size = page.viewportSize() ?? { width: 390, height: 844 };
  // As high as the content.
  await page.setViewportSize({ ...size, height: 320 });
  await mkdir(join(FOLDER, folder), { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const picture = await page.screenshot({ fullPage: true, animations: 'disabled' });
    await sharp(picture)
      .png({ palette: true, colours: 64, effort: 10 })
      .toFile(join(FOLDER, folder, `${name}-${colorScheme}.png`));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(size);
}
