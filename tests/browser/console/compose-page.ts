/** What tests of Compose do on its page. */
import type { Page } from 'playwright-core';

export const textOf = (page: Page) => page.getByLabel('Text', { exact: true });

export const resultsOf = (page: Page) => page.getByRole('region', { name: 'Results' });

export async function choose(page: Page, ...slugs: string[]): Promise<void> {
  for (const slug of slugs) {
    const box = page.getByRole('checkbox', { name: slug });
    if (!(await box.isChecked())) await box.press('Space');
  }
}

/** Lets the service carry out creations of posts and loses the answers, until it is undone. */
export async function loseAnswers(page: Page): Promise<() => Promise<void>> {
  const calls = '**/owner/trpc/posts.create*';
  await page.route(calls, async (route) => {
    // Only the browser itself says that the call comes from our page.
    const headers = { ...(await route.request().allHeaders()), 'sec-fetch-site': 'same-origin' };
    const { status } = await route.fetch({ headers }).then((answer) => ({ status: answer.status() }));
    if (status !== 200) throw new Error(`the service answered ${status}`);
    await route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' });
  });
  return () => page.unrouteAll({ behavior: 'wait' });
}
