/** Today in a real browser. */
import { describe, expect, it } from 'vitest';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const stage = useConsole();

const HOUR_MS = 3_600_000;

const DAY_MS = 24 * HOUR_MS;

describe.skipIf(!HAS_BROWSER)('Today', () => {
  it('teaches when there is nothing, and is good in every scheme and size', async () => {
    const { page } = await stage.visit('/');

    await page.getByText('Nothing is scheduled').waitFor();
    await expectGoodView(page);
  });

  it('shows what goes out next, what failed and why, and the metrics of the week', async () => {
    const soon = new Date(stage.world.clock.now().getTime() + HOUR_MS).toISOString();
    await stage.write(['Later than now'], { scheduledFor: soon });
    await stage.write(['[[reject]] Refused']);
    const { page } = await stage.visit('/');

    await page.getByRole('region', { name: 'Next' }).getByText('Later than now').waitFor();
    await page.getByRole('region', { name: 'Next' }).getByText('in 1 hour').waitFor();
    const failed = page.getByRole('region', { name: 'Failed this week' });
    await failed.getByText('[[reject]] Refused').waitFor();
    await failed.getByRole('link', { name: 'platform_rejected' }).waitFor();
    await page.getByRole('region', { name: 'Workers' }).getByText('Sending of scheduled posts').waitFor();
    await expectGoodView(page);
  });

  it('shows without a reload what others change', async () => {
    const { page } = await stage.visit('/');
    const next = page.getByRole('region', { name: 'Next' });
    const week = page.getByRole('region', { name: 'Last seven days' });
    await week.getByText('Posts sent').waitFor();
    const soon = new Date(stage.world.clock.now().getTime() + HOUR_MS / 2).toISOString();

    const [id] = await stage.write(['Written by an agent'], { scheduledFor: soon });
    await next.getByText('Written by an agent').waitFor();
    await stage.world.rest(`DELETE /posts/${id}`);

    await next.getByText('Written by an agent').waitFor({ state: 'detached' });
  });

  it('sends a failed post again with one press', async () => {
    await stage.write(['[[unavailable]] Not now']);
    const { page } = await stage.visit('/');
    const row = page.getByRole('listitem').filter({ hasText: 'Not now' });

    await row.getByRole('button', { name: 'Retry' }).click();

    await row
      .getByRole('alert')
      .getByText(/platform/i)
      .first()
      .waitFor();
  });

  it('brings the text of a refused post to Compose, and undo brings back what was there', async () => {
    await stage.write(['[[reject]] Change me']);
    const { page } = await stage.visit('/');
    const text = page.getByLabel('Text', { exact: true });
    const row = page.getByRole('listitem').filter({ hasText: 'Change me' });

    await row.getByRole('link', { name: 'Change the text' }).click();

    await expect.poll(() => text.inputValue()).toBe('[[reject]] Change me');
    expect(await page.getByRole('checkbox', { name: 'sandbox' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(() => text.inputValue()).toBe('');
  });

  it('says when the connection is lost, and shows what happened meanwhile once it is back', async () => {
    const { page } = await stage.visit('/');
    const next = page.getByRole('region', { name: 'Next' });
    await page.getByRole('region', { name: 'Workers' }).getByText('Database').waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline.').waitFor();
    const soon = new Date(stage.world.clock.now().getTime() + HOUR_MS / 4).toISOString();
    await stage.write(['Written meanwhile'], { scheduledFor: soon });
    expect(await next.getByText('Written meanwhile').count()).toBe(0);

    await page.context().setOffline(false);

    await next.getByText('Written meanwhile').waitFor();
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
  });

  it('lists a post of weeks ago that is sent now and refused', async () => {
    const [id] = await stage.write(['[[reject]] Written long before'], { isDraft: true });
    await stage.write(['[[reject]] Refused long ago']);
    await stage.world.advance(8 * DAY_MS);
    await stage.world.rest(`POST /posts/${id}/publish`);

    const { page } = await stage.visit('/');

    const failed = page.getByRole('region', { name: 'Failed this week' });
    const row = failed.getByRole('listitem').filter({ hasText: 'Written long before' });
    await row.getByText('The sandbox refused the post').waitFor();
    expect(await failed.getByText('Refused long ago').count()).toBe(0);
  });

  it('shows why a retry was refused, also of a post that was scheduled long before', async () => {
    const scheduledFor = new Date(stage.world.clock.now().getTime() + 10 * DAY_MS).toISOString();
    const [id] = await stage.write(['[[unavailable]] Scheduled long before'], { scheduledFor });
    await stage.world.advance(10 * DAY_MS);
    for (let hour = 0; hour < 24; hour += 1) await stage.world.advance(HOUR_MS);
    const { page } = await stage.visit('/');
    const row = page.getByRole('listitem').filter({ hasText: 'Scheduled long before' });

    await row.getByRole('button', { name: 'Retry' }).click();

    await row.getByRole('alert').getByText('The sandbox is unavailable').waitFor();
    const { body } = await stage.world.rest(`GET /posts/${id}`);
    expect(body.post).toMatchObject({ status: 'failed', scheduledFor: null });
    await page.reload();
    await row.getByText('The sandbox is unavailable').waitFor();
  });
});
