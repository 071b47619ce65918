/** The calendar in a real browser. */
import { describe, expect, it } from 'vitest';
import { connectSandbox } from '../../harness/connections.ts';
import { createProfile } from '../../harness/profiles.ts';
import { fillConnections, HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView, expectNoViolation } from './view-checks.ts';

const stage = useConsole();

const ZONE = 'Europe/Paris';

/** A day, in UTC, after the present one. */
function dayAfter(days: number): string {
  return new Date(stage.world.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);
}

/** Address of the week of a day. */
const weekOf = (day: string) => `/calendar?view=week&zone=${ZONE}&date=${day}`;

/** What the service says about the time of a post, in Paris. */
async function timeOf(postId: string): Promise<string> {
  const { body } = await stage.world.rest(`GET /posts/${postId}`);
  return new Date(body.post.scheduledFor).toLocaleString('sv-SE', { timeZone: ZONE }).slice(0, 16);
}

async function scheduleAt(text: string, day: string, time = '10:30'): Promise<string> {
  const [id = ''] = await stage.write([text], { scheduledFor: `${day}T${time}`, timezone: ZONE });
  return id;
}

describe.skipIf(!HAS_BROWSER)('Calendar', () => {
  it('shows scheduled, sent and failed posts and free slots of a month, good in every scheme and size', async () => {
    const [connection] = await stage.connect(1);
    const slots = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '09:00' }));
    await stage.world.rest(`PATCH /connections/${connection?.id}/queue`, { body: { slots, timezone: 'Asia/Tokyo' } });
    await stage.write(['Queued post'], { connectionSlugs: [connection?.slug], queue: true });
    await stage.write(['Sent post', '[[reject]] Failed post']);
    await scheduleAt('Planned post', dayAfter(1));
    const { page } = await stage.visit(`/calendar?zone=${ZONE}`);

    for (const name of [/Queued post, scheduled/, /Sent post, sent/, /Failed post, failed/, /Planned post, scheduled/])
      await page.getByRole('button', { name }).waitFor();
    await page
      .getByRole('button', { name: /bell-\d+, free slot/ })
      .first()
      .waitFor();
    await expectGoodView(page);
  });

  it('shows a week with many posts in an hour, good in every scheme and size', async () => {
    const day = dayAfter(2);
    for (let count = 1; count <= 9; count += 1) await scheduleAt(`Busy ${count}`, day);
    const { page } = await stage.visit(weekOf(day));

    await page.getByRole('button', { name: /Busy 1,/ }).waitFor();
    await expectGoodView(page);
    await page.getByRole('button', { name: /^2 more at 10:00/ }).press('Enter');
    await page.getByRole('button', { name: /Busy 9,/ }).waitFor();
  });

  it('filters by tag, and leaves out free slots then, because posts without the tag may hold them', async () => {
    await stage.write(['Tagged post'], { scheduledFor: `${dayAfter(2)}T12:00`, timezone: ZONE, tags: ['launch'] });
    const { page } = await stage.visit(`/calendar?zone=${ZONE}&date=${dayAfter(2)}`);
    await page.getByRole('button', { name: /Busy 1,/ }).waitFor();

    await page.getByLabel('Tag', { exact: true }).fill('launch');
    await page.keyboard.press('Enter');

    await page.getByRole('button', { name: /Tagged post/ }).waitFor();
    await page.getByRole('button', { name: /Busy 1,/ }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: /free slot/ }).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('tag')).toBe('launch');
  });

  it.each(['month', 'week'])(
    'prints a %s on one landscape sheet, with all posts and without controls',
    async (view) => {
      const week = view === 'week' ? 'view=week&' : '';
      const { page } = await stage.visit(`/calendar?${week}zone=${ZONE}&date=${dayAfter(2)}`);
      await page.locator('ol[aria-busy=false]').waitFor();

      await page.emulateMedia({ media: 'print' });

      for (let count = 1; count <= 9; count += 1) {
        await page.getByRole('button', { name: new RegExp(`Busy ${count},`) }).waitFor();
      }
      expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Today' }).isVisible()).toBe(false);
      const paper = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
      expect(paper.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
      const [, width, height] = /\/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]/.exec(paper) ?? [];
      expect(Number(width)).toBeGreaterThan(Number(height));
    },
  );

  it('moves a post by drag, live in another tab too, and back with undo', async () => {
    const [from, to] = [dayAfter(3), dayAfter(4)];
    const id = await scheduleAt('Dragged post', from);
    const { page } = await stage.visit(`/calendar?zone=${ZONE}&date=${from}`);
    const other = await stage.visit(`/calendar?zone=${ZONE}&date=${from}`);
    const entry = page.getByRole('button', { name: /Dragged post/ });
    const before = await other.page.getByRole('button', { name: /Dragged post/ }).getAttribute('aria-label');

    await entry.dragTo(page.locator(`li.day:has([data-place="${to}"])`));

    await page.getByText(/^The post goes out/).waitFor();
    expect(await timeOf(id)).toBe(`${to} 10:30`);
    await expect
      .poll(() => other.page.getByRole('button', { name: /Dragged post/ }).getAttribute('aria-label'))
      .not.toBe(before);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(() => timeOf(id)).toBe(`${from} 10:30`);
  });

  it('keeps a queued post where it was dragged while others arrive, shows its slot as free, and undoes both', async () => {
    const [connection] = await stage.connect(1);
    const slug = connection?.slug ?? '';
    const slots = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '09:00' }));
    await stage.world.rest(`PATCH /connections/${connection?.id}/queue`, { body: { slots, timezone: ZONE } });
    const [id = ''] = await stage.write(['Queued here'], { connectionSlugs: [slug], queue: true });
    const from = (await timeOf(id)).slice(0, 10);
    const to = dayAfter(4);
    const size = { width: 1280, height: 1400 };
    const { page } = await stage.visit(`/calendar?zone=${ZONE}&connection=${slug}&date=${from}`, { size });
    const day = (date: string) => page.locator(`li.day:has([data-place="${date}"])`);
    const entryOn = (date: string) => day(date).getByRole('button', { name: /Queued here/ });
    const freeOn = (date: string) => day(date).getByRole('button', { name: `09:00 ${slug}, free slot` });
    // Filters that appear while the post is dragged would move the days under it.
    await page.getByLabel('Tag', { exact: true }).waitFor();
    await freeOn(to).waitFor();
    expect(await freeOn(from).count()).toBe(0);

    await entryOn(from).dragTo(day(to));
    await freeOn(from).waitFor();
    await stage.write(['Another one'], { connectionSlugs: [slug], scheduledFor: `${to}T11:00`, timezone: ZONE });
    await page.getByRole('button', { name: /Another one, scheduled/ }).waitFor();

    expect(await entryOn(to).count()).toBe(1);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await entryOn(from).waitFor();
    await freeOn(from).waitFor({ state: 'detached' });
    expect(await timeOf(id)).toBe(`${from} 09:00`);
  });

  it('shows what happens elsewhere at once: a new post, its new time, its end, and a failed post', async () => {
    const [day, next] = [dayAfter(6), dayAfter(7)];
    const { page } = await stage.visit(`/calendar?zone=${ZONE}&date=${day}`);
    await page.locator('ol[aria-busy=false]').waitFor();
    const entryOn = (on: string, status: string) =>
      page
        .locator(`li.day:has([data-place="${on}"])`)
        .getByRole('button', { name: new RegExp(`Live post, ${status}`) });

    const id = await scheduleAt('[[reject]] Live post', day);
    await entryOn(day, 'scheduled').waitFor();
    const scheduledFor = `${next}T10:30`;
    await stage.world.rest(`POST /posts/${id}/reschedule`, { body: { scheduledFor, timezone: ZONE } });
    await entryOn(next, 'scheduled').waitFor();
    await entryOn(day, 'scheduled').waitFor({ state: 'detached' });
    await stage.world.rest(`DELETE /posts/${id}`);
    await entryOn(next, 'scheduled').waitFor({ state: 'detached' });

    await stage.write(['[[reject]] Live post']);
    await page.getByRole('button', { name: /Live post, failed/ }).waitFor();
  });

  it('moves a post with the keyboard alone, by steps and by the dialog', async () => {
    const day = dayAfter(5);
    const id = await scheduleAt('Nudged post', day);
    const { page } = await stage.visit(weekOf(day));
    const entry = page.getByRole('button', { name: /Nudged post/ });
    await entry.focus();

    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await expect.poll(() => timeOf(id)).toBe(`${day} 12:30`);
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe(`entry-${id}`);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Date and time').fill(`${day}T18:15`);
    await expectNoViolation(page, 'dark', 'dialog');
    await page.keyboard.press('Enter');

    await expect.poll(() => timeOf(id)).toBe(`${day} 18:15`);
  });

  it('moves a post by a step also when the page is left at once', async () => {
    const day = dayAfter(6);
    const [first, second] = [await scheduleAt('Hurried post', day), await scheduleAt('Hurried second', day, '11:00')];
    const { page } = await stage.visit(weekOf(day));
    for (const name of [/Hurried post/, /Hurried second/]) {
      await page.getByRole('button', { name }).focus();
      await page.keyboard.press('Shift+ArrowDown');
    }

    await page.reload();

    await expect.poll(() => timeOf(first)).toBe(`${day} 11:30`);
    await expect.poll(() => timeOf(second)).toBe(`${day} 12:00`);
  });

  it('moves a post also when the page is left before the request has found a connection to the service', async () => {
    const day = dayAfter(8);
    const id = await scheduleAt('Waiting post', day);
    const { page } = await stage.visit(weekOf(day));
    const entry = page.getByRole('button', { name: /Waiting post/ });
    await entry.waitFor();
    await fillConnections(page, stage.world.url);
    const asked = page.waitForRequest(/posts\.reschedule/);
    await entry.press('Shift+ArrowDown');
    await asked;
    await page.goto('about:blank');

    await expect.poll(() => timeOf(id)).toBe(`${day} 11:30`);
  });

  it('takes no year of five digits as the time of a post', async () => {
    const day = dayAfter(5);
    const id = await scheduleAt('Far post', day);
    const { page } = await stage.visit(weekOf(day));
    await page.getByRole('button', { name: /Far post/ }).press('Enter');
    const field = page.getByRole('dialog').getByLabel('Date and time');

    await field.fill('12026-01-01T10:00');

    await expect.poll(() => field.inputValue()).toBe(`${day}T10:30`);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    expect(await timeOf(id)).toBe(`${day} 10:30`);
  });

  it('leads from an empty hour to compose, with its time', async () => {
    const day = dayAfter(2);
    const { page } = await stage.visit(weekOf(day));

    await page.locator(`[data-place="${day}"]`).focus();
    for (let hour = 0; hour <= 14; hour += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { level: 1, name: 'Write a post' }).waitFor();
    const local = await page.evaluate<string>(
      `new Date(document.querySelector('input[type=datetime-local]').value).toISOString()`,
    );
    expect(new Date(local).toLocaleString('sv-SE', { timeZone: ZONE }).slice(0, 16)).toBe(`${day} 14:00`);
  });

  it('chooses in compose the connection of the filtered profile, and none when the slug means several', async () => {
    const slug = 'shared-bell';
    for (const name of ['First customer', 'Second customer']) {
      const profile = await createProfile(stage.world, stage.world.liveKey, { name });
      await connectSandbox(stage.world, { slug, profileId: profile.id, description: `Bell of ${name}` });
    }
    const { body } = await stage.world.rest('GET /profiles');
    const [profile] = body.profiles;
    const day = dayAfter(2);
    const filtered = `${weekOf(day)}&connection=${slug}`;
    const { page } = await stage.visit(`${filtered}&profileId=${profile.id}`);
    const chosen = page.getByRole('checkbox', { checked: true, name: slug });
    const compose = async () => {
      await page.locator(`[data-place="${day}"]`).focus();
      for (let hour = 0; hour <= 14; hour += 1) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Write a post' }).waitFor();
      await page.getByRole('checkbox', { name: slug }).nth(1).waitFor();
    };

    await compose();
    await chosen.waitFor();
    expect(await chosen.count()).toBe(1);
    await chosen.press('Space');
    await page.goto(stage.world.url + filtered);
    await page.getByRole('heading', { level: 1, name: 'Calendar' }).waitFor();
    await compose();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    expect(await chosen.count()).toBe(0);
  });

  it('shows the skipped hour of a clock change, and keeps view, date and zone in the address', async () => {
    const { page } = await stage.visit('/calendar?view=week&zone=Europe/Paris&date=2026-03-29');

    const week = page.getByRole('heading', { level: 2, name: /5 April|April 5/ });
    await page.getByText('02:00 is skipped').waitFor();
    await page.getByRole('button', { name: 'Next week' }).click();
    await week.waitFor();
    expect(new URL(page.url()).searchParams.get('date')).toBe('2026-04-05');
    await page.getByRole('button', { name: 'Month', exact: true }).click();
    await page.getByRole('heading', { name: 'April 2026' }).waitFor();
    await page.goBack();
    await week.waitFor();
  });

  it('shows a draft that was published months after it was written in the month in which it went out', async () => {
    const [id = ''] = await stage.write(['Old draft'], { isDraft: true });
    stage.world.clock.advance(100 * 86_400_000);
    await stage.world.rest(`POST /posts/${id}/publish`, { body: {} });
    const { page } = await stage.visit(`/calendar?zone=${ZONE}`);

    await page
      .locator('li.day:has([aria-current=date])')
      .getByRole('button', { name: /Old draft, sent/ })
      .waitFor();
    await page.getByRole('button', { name: 'Previous month' }).click();
    await page.locator('ol[aria-busy=false]').waitFor();
    expect(await page.getByRole('button', { name: /Old draft/ }).count()).toBe(0);
  });

  it('keeps the time on the clocks when a post is dragged across a clock change', async () => {
    stage.world.clock.set(new Date('2027-03-26T08:00:00Z'));
    const id = await scheduleAt('Across the change', '2027-03-27');
    const { page } = await stage.visit(`/calendar?zone=${ZONE}`, { size: { width: 1280, height: 1400 } });
    // Filters, free slots and posts that appear while the post is dragged would move the days under it.
    await page.getByLabel('Tag', { exact: true }).waitFor();
    await page.locator('ol[aria-busy=false]').waitFor();

    await page
      .getByRole('button', { name: /Across the change/ })
      .dragTo(page.locator('li.day:has([data-place="2027-03-28"])'));

    await page.getByText(/^The post goes out/).waitFor();
    expect(await timeOf(id)).toBe('2027-03-28 10:30');
    const { body } = await stage.world.rest(`GET /posts/${id}`);
    expect(new Date(body.post.scheduledFor).toISOString()).toBe('2027-03-28T08:30:00.000Z');
  });
});
