/** Settings in a real browser. */
import { describe, expect, it } from 'vitest';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const stage = useConsole({ env: { X_CLIENT_ID: 'our-x-app', X_CLIENT_SECRET: 'secret-of-x-3f1c' } });

describe.skipIf(!HAS_BROWSER)('Settings', () => {
  it('shows what each platform needs, and settings without secrets', async () => {
    const { page } = await stage.visit('/settings');
    await page.getByText(/^\d+ of 15 platforms are ready\.$/).waitFor();
    await expectGoodView(page);

    const linkedin = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /^LinkedIn/ }) });

    await linkedin.getByText('LINKEDIN_CLIENT_SECRET').waitFor();
    expect(await linkedin.getByRole('textbox', { name: 'Redirect address for LinkedIn' }).inputValue()).toBe(
      'http://localhost:3000/connect/callback/linkedin',
    );
    await page.getByText('our-x-app').waitFor();
    expect(await page.content()).not.toContain('secret-of-x-3f1c');
  });
});
