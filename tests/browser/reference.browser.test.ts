/** The API reference and the documentation in a real browser, under the policies of their pages. */
import { describe, expect, it } from 'vitest';
import { HAS_BROWSER, useConsole } from './console/console-stage.ts';
import { expectGoodView } from './console/view-checks.ts';

const stage = useConsole();

describe.skipIf(!HAS_BROWSER)('the API reference', () => {
  // The stage also fails when the browser reports an error, or asks another site for anything.
  it('shows the operations of the document', async () => {
    const { page } = await stage.visit('/docs', { isSignedIn: false });

    await page.getByRole('heading', { name: 'Create posts' }).waitFor();
    expect(await page.locator('#reference').innerText()).toContain('POST\n/posts');
  });
});

describe.skipIf(!HAS_BROWSER)('the documentation', () => {
  it('is found by a word, read on, and good in every scheme and size', async () => {
    const { page } = await stage.visit('/docs/guide', { isSignedIn: false });
    await page.getByLabel('Search the documentation').fill('idempotency');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: /sections for/ }).waitFor();
    await expectGoodView(page);
    await page.getByRole('list').last().getByRole('link').first().click();

    await page.getByRole('article').waitFor();
    await expectGoodView(page);
  });
});
