/** Metrics in a real browser. */
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { pressLabel } from '../press-label.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const stage = useConsole();

const HOUR_MS = 3_600_000;
const today = () => stage.world.clock.now().toISOString().slice(0, 10);

describe.skipIf(!HAS_BROWSER)('Analytics', () => {
  it('teaches when no post went out', async () => {
    const { page } = await stage.visit('/analytics');

    await page.getByText('No post went out in this window').waitFor();
    await page.getByRole('radio', { name: 'Last 30 days' }).waitFor();
    await expectGoodView(page);
  });

  it('shows totals, the difference to the window before, and tells what is not reported from zero', async () => {
    await stage.write(['One', 'Two']);
    await stage.world.advance(HOUR_MS);
    const { page } = await stage.visit('/analytics');
    const total = (name: string) => page.locator('dl > div').filter({ hasText: name });

    // The sandbox reports 4 likes after an hour, and no impressions.
    await total('Likes').getByText('+8', { exact: true }).waitFor();
    await total('Impressions').getByText('not reported', { exact: true }).waitFor();
    await total('Impressions').getByText('not comparable').waitFor();
    await page.getByText('Impressions by day: not reported on any day.').waitFor();
    const chart = page.getByRole('figure', { name: 'Likes, reposts and replies by day' });
    await chart.getByText('The values as a table').click();
    expect(await chart.getByRole('row').count()).toBe(31);
    await page.getByText('Metrics by platform as a table').click();
    await page.getByRole('row', { name: /Sandbox.* 2 not reported 8 / }).waitFor();
    await expectGoodView(page);
  });

  it('exports what it shows, with an empty cell for what was not reported', async () => {
    const { page } = await stage.visit(`/analytics?from=${today()}&to=${today()}`);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export days as CSV' }).click(),
    ]);

    expect(file.suggestedFilename()).toBe(`carillon-days-${today()}-${today()}.csv`);
    expect(await text(await file.createReadStream())).toBe(
      `day,posts,impressions,likes,reposts,replies,clicks\r\n${today()},2,,8,0,0,0\r\n`,
    );
  });

  it('compares tags and hours, is good in every scheme and size, and filters by tag', async () => {
    const sent = new Date(stage.world.clock.now());
    for (const words of ['a', 'b', 'c', 'd', 'e']) await stage.write([words], { tags: ['launch'] });
    await stage.world.advance(24 * HOUR_MS);
    const { page } = await stage.visit('/analytics?zone=Asia/Tokyo');
    const local = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat('en', { timeZone: 'Asia/Tokyo', ...options }).format(sent);
    const best = page.getByRole('region', { name: 'Best times' });

    await best.getByText(`${local({ weekday: 'long' })} ${local({ hour: '2-digit', hourCycle: 'h23' })}:00`).waitFor();
    const cell = best.getByRole('cell').filter({ hasText: '5 posts' });
    expect(await cell.count()).toBe(1);
    await page.getByText('Metrics by tag as a table').click();
    await page.getByRole('row', { name: /#launch 5 / }).waitFor();
    await expectGoodView(page);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export tags as CSV' }).click(),
    ]);
    expect(await text(await file.createReadStream())).toMatch(/\r\nlaunch,5,,\d+,\d+,\d+,0\r\n$/);
    await page.getByLabel('Tag', { exact: true }).fill('launch');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/analytics?zone=Asia%2FTokyo&tag=launch');
    await page.getByText('Metrics were read for 5 of 5 posts').waitFor();
  });

  it('keeps window and filters in the address, with the keyboard too, and back returns', async () => {
    const { page } = await stage.visit('/analytics?days=7', { refusedAt: ['/owner/trpc/analytics.get'] });
    await page.getByRole('radio', { name: 'Last 7 days' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL('**/analytics?days=30');
    await page.getByRole('button', { name: /Platform/ }).press('Enter');
    await page.getByRole('option', { name: 'Bluesky' }).press('Enter');
    await page.getByText('No post went out in this window').waitFor();
    expect(new URL(page.url()).search).toBe('?days=30&platform=bluesky');

    await page.goBack();

    await page.getByText('Metrics were read for 7 of 7 posts').waitFor();
    await pressLabel(page.getByRole('radio', { name: 'From a day to a day' }));
    await page.getByLabel('From', { exact: true }).fill('2020-01-01');
    await page.getByRole('alert').getByText('the limit is 365').waitFor();
  });

  it('counts without a reload what others post', async () => {
    const { page } = await stage.visit('/analytics');
    await page.getByText('Metrics were read for 7 of 7 posts').waitFor();

    await stage.write(['Three']);

    await page.getByText('Metrics were read for 7 of 8 posts').waitFor();
  });
});
