/** Imports of posts in a real browser. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PHONE } from '../page-checks.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const stage = useConsole();

/** Chooses a file as a person does, with the keyboard's Enter on the button. */
async function choose(page: Page, name: string, content: string): Promise<void> {
  await page
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content, 'utf8') });
}

const slug = () => stage.world.sandboxSlug;

const count = (page: Page, words: string) =>
  page.getByRole('status', { name: 'Rows by result' }).getByText(words, { exact: true });

/** Rows of the table, each as its cells. */
async function cells(page: Page): Promise<string[][]> {
  const rows = await page.getByRole('row').all();
  const texts = await Promise.all(rows.slice(1).map((row) => row.locator('th, td').allInnerTexts()));
  return texts.map((row) => row.map((cell) => cell.replaceAll(/\s+/g, ' ').trim()));
}

describe.skipIf(!HAS_BROWSER)('Import', () => {
  it('checks a file row by row, imports it, and links to its posts', async () => {
    const { page } = await stage.visit('/');
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.getByText('Nothing was imported yet').waitFor();
    await expectGoodView(page);
    const file = [
      'text,connections,scheduledFor',
      `Ding,${slug()},${new Date(stage.world.clock.now().getTime() + 86_400_000).toISOString()}`,
      `Dong,${slug()},`,
      `No time,${slug()},soon`,
      'Nowhere,nowhere-at-all,',
    ].join('\n');
    await choose(page, 'bells.csv', file);
    await page.getByText('read as CSV').waitFor();
    await page.getByRole('checkbox', { name: slug() }).waitFor();
    await expectGoodView(page);
    await page.getByRole('button', { name: 'Check the file' }).press('Enter');
    await page.getByText('0 of 4 rows').waitFor();
    await stage.world.runDue();

    await count(page, '2 rows with a problem').waitFor();
    const [first, second, third, fourth] = await cells(page);
    expect(first?.slice(0, 4)).toEqual(['1', 'valid', '', '']);
    expect(second).toEqual(['2', 'valid', '', '', slug()]);
    expect(third?.slice(0, 3)).toEqual(['3', 'failed', 'scheduledFor']);
    expect(fourth?.slice(0, 2)).toEqual(['4', 'failed']);
    expect(fourth?.[3]).toContain('nowhere-at-all');
    // Announcements of buttons that are gone go with the page.
    await page.reload();
    await count(page, '2 rows with a problem').waitFor();
    await expectGoodView(page);
    expect((await stage.world.rest('GET /posts')).body.posts).toEqual([]);

    await page.getByRole('button', { name: 'Import 4 rows' }).press('Enter');
    await page.getByRole('heading', { name: 'Import of bells.csv' }).waitFor();
    await stage.world.runDue();
    await count(page, '2 rows imported').waitFor();
    await page.getByRole('row').nth(2).getByRole('link', { name: slug() }).press('Enter');
    await page.getByRole('main').getByText('Dong').first().waitFor();
  });

  it('imports rows for the connections that take them, when each row has one that does not', async () => {
    const { page } = await stage.visit('/files');
    await choose(page, 'partly.csv', `text,connections\nDing,"${slug()} nowhere-at-all"`);
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('0 of 1 row').waitFor();
    await stage.world.runDue();
    await count(page, '1 row with a problem').waitFor();
    await page.getByText('A row with a problem gets no post on the connections that refuse it.').waitFor();

    await page.getByRole('button', { name: 'Import 1 row' }).press('Enter');

    await page.getByRole('heading', { name: 'Import of partly.csv' }).waitFor();
    await stage.world.runDue();
    await count(page, '1 row imported').waitFor();
    await page.getByRole('row').nth(1).getByRole('link', { name: slug() }).waitFor();
  });

  it('says that nothing can be imported when every connection refuses every row', async () => {
    const { page } = await stage.visit('/files');
    await choose(page, 'refused.csv', 'text,connections\nDing,nowhere-at-all');
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('0 of 1 row').waitFor();
    await stage.world.runDue();

    await page.getByText('No row can be imported. Correct the file and choose it again below.').waitFor();

    await page.getByRole('button', { name: /^Import/ }).waitFor({ state: 'detached' });
  });

  it('goes on after the page was closed, cancels with undo, and lists what was imported', async () => {
    const rows = Array.from({ length: 30 }, (_, index) => `Row ${index},${slug()}`);
    const { page } = await stage.visit('/files');
    await choose(page, 'many.csv', ['text,connections', ...rows].join('\n'));
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('0 of 30 rows').waitFor();
    await stage.world.runDue();
    await count(page, '30 rows without problems').waitFor();
    const address = page.url();
    await page.goto('about:blank');
    await page.goto(address);
    await page.getByRole('button', { name: 'Import 30 rows' }).click();
    await page.getByRole('heading', { name: 'Import of many.csv' }).waitFor();

    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The import is cancelled.').waitFor();
    await page.getByRole('button', { name: 'Go on' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('0 of 30 rows').waitFor();
    await stage.world.runDue();

    await count(page, '30 rows imported').waitFor();
    const list = page.getByRole('list', { name: 'Imports, newest first' });
    await list.getByRole('link', { name: 'Import of many.csv' }).waitFor();
    await list.getByRole('link', { name: 'Check of many.csv' }).click();
    await page.getByRole('heading', { name: 'Check of many.csv' }).waitFor();
    await page.getByRole('radio', { name: 'valid' }).waitFor({ state: 'detached' });
  });

  it('reads a running import of many pages less often, so that the person has requests left', async () => {
    const rows = Array.from({ length: 250 }, (_, index) => `Page ${index},${slug()}`);
    const { page } = await stage.visit('/files');
    await choose(page, 'pages.csv', ['text,connections', ...rows].join('\n'));
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('0 of 250 rows').waitFor();
    await page.getByRole('row').nth(100).scrollIntoViewIfNeeded();
    await page.getByRole('row').nth(200).scrollIntoViewIfNeeded();
    await page.getByRole('row').nth(250).waitFor();
    let reads = 0;
    page.on('request', (request) => (reads += request.url().includes('imports.get') ? 1 : 0));

    await page.waitForTimeout(10_000);

    // Three pages in 4.5 seconds.
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThan(10);
    await stage.world.runDue();
    await count(page, '250 rows without problems').waitFor();
  });

  it('takes JSON for chosen connections on a phone, and says which rows failed', async () => {
    const { page } = await stage.visit('/files', { size: PHONE });
    await choose(page, 'posts.json', JSON.stringify([{ text: 'One' }, { text: 'x'.repeat(100_000) }]));
    await page.getByText('read as JSON').waitFor();
    await page.getByRole('checkbox', { name: slug() }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('0 of 2 rows').waitFor();
    await stage.world.runDue();

    await count(page, '1 row with a problem').waitFor();
    await page.goto(`${page.url()}&rows=failed`);
    await page.getByRole('radio', { name: 'failed' }).waitFor();
    await expectGoodView(page);
    expect((await cells(page)).map(([row]) => row)).toEqual(['2']);
  });

  it('takes a file that is dropped', async () => {
    const { page } = await stage.visit('/files');
    const folder = await mkdtemp(join(tmpdir(), 'carillon-drop-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'dropped.csv');
    await writeFile(file, `text,connections\nDing,${slug()}`);
    const { x = 0, y = 0 } = (await page.getByText('Drop a file here').boundingBox()) ?? {};
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: [file], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await session.send('Input.dispatchDragEvent', { type, x: x + 5, y: y + 5, data });
    }

    await page.getByText('dropped.csv').waitFor();
    await page.getByRole('button', { name: 'Check the file' }).waitFor();
  });

  it('says in words what is wrong with a file as a whole', async () => {
    const { page } = await stage.visit('/files', { refusedAt: ['/owner/trpc/imports.start'] });
    await choose(page, 'wrong.csv', 'text,place\nDing,here');
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('alert').getByText('unknown columns: "place"').waitFor();

    await choose(page, 'long.csv', `text\n${'x'.repeat(1_000_001)}`);
    await page.getByRole('alert').getByText('The service takes at most 1,000,000 characters').waitFor();
    await choose(page, 'empty.csv', ' ');
    await page.getByRole('alert').getByText('empty.csv is empty.').waitFor();
  });
});
