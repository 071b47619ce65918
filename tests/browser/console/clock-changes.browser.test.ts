/** Posts of the days on which clocks change, in a real browser. */
import { describe, expect, it } from 'vitest';
import { pressLabel } from '../press-label.ts';
import { resultsOf } from './compose-page.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectNoViolation } from './view-checks.ts';

const stage = useConsole();

const SIZE = { width: 1280, height: 1600 };

async function instantOf(postId: string): Promise<string> {
  const { body } = await stage.world.rest(`GET /posts/${postId}`);
  return new Date(body.post.scheduledFor).toISOString();
}

describe.skipIf(!HAS_BROWSER)('On the day of a clock change', () => {
  it('an hour of which clocks skip a half takes a post in the other half', async () => {
    stage.world.clock.set(new Date('2027-10-01T08:00:00Z'));
    const fields = { scheduledFor: '2027-10-02T10:45', timezone: 'Australia/Lord_Howe' };
    const [id = ''] = await stage.write(['Half an hour'], fields);
    const { page } = await stage.visit('/calendar?view=week&zone=Australia/Lord_Howe&date=2027-10-03', { size: SIZE });
    // Filters that appear while the post is dragged would move the days under it.
    await page.getByLabel('Tag', { exact: true }).waitFor();
    await page.locator('ol[aria-busy=false]').waitFor();
    const hours = page.locator('li.day:has([data-place="2027-10-03"]) li.hour');

    await page.getByRole('button', { name: /Half an hour/ }).dragTo(hours.nth(2));

    await page.getByText(/^The post goes out/).waitFor();
    expect(await instantOf(id)).toBe('2027-10-02T15:45:00.000Z');
    await hours
      .nth(2)
      .getByRole('button', { name: /^02:45 Half an hour/ })
      .waitFor();
  });

  it('a post in the second of two equal hours stays there when its time is confirmed, and moves to the first if chosen', async () => {
    stage.world.clock.set(new Date('2027-10-29T08:00:00Z'));
    const [id = ''] = await stage.write(['The second one'], { scheduledFor: '2027-10-31T01:30:00Z' });
    const { page } = await stage.visit('/calendar?zone=Europe/Paris&date=2027-10-31');
    const dialog = page.getByRole('dialog');
    const open = (time: string) => page.getByRole('button', { name: `${time} The second one` }).press('Enter');
    const confirm = () => dialog.getByRole('button', { name: 'Move', exact: true }).click();

    await open('02:30 UTC+1');
    await expectNoViolation(page, 'light', 'dialog');
    await confirm();
    await page.getByText(/^The post goes out/).waitFor();
    expect(await instantOf(id)).toBe('2027-10-31T01:30:00.000Z');

    await open('02:30 UTC+1');
    await dialog.getByText('02:30 UTC+2').click();
    await confirm();
    await expect.poll(() => instantOf(id)).toBe('2027-10-31T00:30:00.000Z');
    await page.getByRole('button', { name: '02:30 UTC+2 The second one' }).waitFor();
  });

  it('a post is dropped into the second of two equal hours', async () => {
    const [id = ''] = await stage.write(['Dragged there'], { scheduledFor: '2027-10-30T08:15:00Z' });
    const { page } = await stage.visit('/calendar?view=week&zone=Europe/Paris&date=2027-10-31', { size: SIZE });
    await page.getByLabel('Tag', { exact: true }).waitFor();
    await page.locator('ol[aria-busy=false]').waitFor();
    const second = page.getByRole('button', { name: /^Write a post for 02:00 UTC\+1 / });

    await page.getByRole('button', { name: /Dragged there/ }).dragTo(second);

    await page.getByText(/^The post goes out/).waitFor();
    expect(await instantOf(id)).toBe('2027-10-31T01:15:00.000Z');
  });

  it('a post is written for the second of two equal times', async () => {
    const [connection] = await stage.connect(1);
    const slug = connection?.slug ?? '';
    const queue = { slots: [{ weekday: 1, time: '09:00' }], timezone: 'Europe/Paris' };
    await stage.world.rest(`PATCH /connections/${connection?.id}/queue`, { body: queue });
    const { page } = await stage.visit(`/compose?slug=${slug}&time=2027-10-31T01:30:00Z&text=Written`);
    await page.getByRole('button', { name: 'Time zone' }).click();
    await page.getByRole('option', { name: 'Europe/Paris' }).click();
    await page.getByLabel('Date and time').fill('2027-10-31T02:30');
    await page.getByText('That is 2027-10-31 00:30 in UTC.').waitFor();

    await pressLabel(page.getByRole('radio', { name: '02:30 UTC+1' }));
    await page.getByText('That is 2027-10-31 01:30 in UTC.').waitFor();
    await expectNoViolation(page, 'dark', 'radio');
    await page.getByRole('button', { name: 'Schedule' }).click();

    await resultsOf(page).getByText('1 of 1 accepted').waitFor();
    const { body } = await stage.world.rest('GET /posts?q=Written');
    expect(body.posts).toMatchObject([{ status: 'scheduled', scheduledFor: '2027-10-31T01:30:00.000Z' }]);
  });
});
