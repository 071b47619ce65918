/** Queues in a real browser. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const stage = useConsole();

const WEEK = [1, 2, 3, 4, 5, 6, 0].map((weekday) => ({ weekday, time: '09:00' }));

/** A connection with a slot at 09:00 of every day in a zone that is not the browser's. */
async function queueOf(posts: readonly string[]) {
  const [connection] = await stage.connect(1);
  if (connection === undefined) throw new Error('no connection was made');
  const body = { slots: WEEK, timezone: 'America/New_York' };
  await stage.world.rest(`PATCH /connections/${connection.id}/queue`, { body });
  if (posts.length > 0) await stage.write(posts, { connectionSlugs: [connection.slug], queue: true });
  const slots = async () => (await stage.world.rest(`GET /connections/${connection.id}`)).body.connection.queueSlots;
  const queue = async () => (await stage.world.rest(`GET /connections/${connection.id}/queue`)).body.queue;
  const texts = async () => (await queue()).map(({ text }: { text: string }) => text);
  return { ...connection, slots, queue, texts, path: `/queues?connection=${connection.id}` };
}

const placesOf = (page: Page) => page.getByRole('region', { name: 'Coming slots' }).getByRole('listitem');

const timesOf = (queue: readonly { scheduledFor: string }[]) => queue.map(({ scheduledFor }) => scheduledFor);

describe.skipIf(!HAS_BROWSER)('Queues', () => {
  it('teaches when there are no slots, and adds them with the keyboard alone', async () => {
    const [connection] = await stage.connect(1);
    const { page } = await stage.visit(`/queues?connection=${connection?.id}`);
    await page.getByText('This queue has no slots yet.').waitFor();
    await expectGoodView(page);

    await page.getByLabel('Time', { exact: true }).focus();
    await page.keyboard.press('Enter');

    await page.getByRole('button', { name: 'Remove the slot Friday 09:00' }).waitFor();
    const { body } = await stage.world.rest(`GET /connections/${connection?.id}`);
    expect(body.connection.queueSlots).toHaveLength(5);
  });

  it('removes a slot, and brings it back with undo', async () => {
    const { path, slots } = await queueOf([]);
    const { page } = await stage.visit(path);
    const remove = page.getByRole('button', { name: 'Remove the slot Monday 09:00' });

    await remove.click();
    await page.getByText('The slot is removed.').waitFor();
    expect(await slots()).toHaveLength(6);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();

    await remove.waitFor();
    await expect.poll(slots).toHaveLength(7);
  });

  it('shows which post is in which slot in the zone of the connection, also when others change it', async () => {
    const { path, slug } = await queueOf(['First in the queue']);
    const { page } = await stage.visit(path);
    const places = placesOf(page);
    await places.nth(0).getByText('First in the queue').waitFor();
    await places.nth(0).getByText(/09:00/).waitFor();
    await expectGoodView(page);

    await stage.write(['Second in the queue'], { connectionSlugs: [slug], queue: true });

    await places.nth(1).getByText('Second in the queue').waitFor();
  });

  it('pauses and resumes', async () => {
    const { path, id } = await queueOf([]);
    const { page } = await stage.visit(path);

    await page.getByRole('button', { name: 'Pause the queue' }).click();
    await page.getByText('paused', { exact: true }).waitFor();
    expect((await stage.world.rest(`GET /connections/${id}`)).body.connection.queuePaused).toBe(true);
    await page.getByRole('button', { name: 'Resume the queue' }).click();

    await page.getByText('running', { exact: true }).waitFor();
  });

  it('moves a post to another free slot, and leaves it in the queue after undo', async () => {
    const { path, queue } = await queueOf(['Moved by hand']);
    const [before] = await queue();
    const { page } = await stage.visit(path);
    const move = async () => {
      await page.getByRole('button', { name: 'Move Moved by hand' }).click();
      await page.getByRole('dialog').getByText('A free slot').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
    };
    await move();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    expect(await queue()).toEqual([before]);

    await move();
    await page.getByRole('button', { name: 'Close the message' }).click();

    await expect.poll(queue).toEqual([]);
    const { body } = await stage.world.rest(`GET /posts/${before.id}`);
    expect(Date.parse(body.post.scheduledFor) - Date.parse(before.scheduledFor)).toBe(86_400_000);
  });

  it('moves a post when the page is left before the message with undo has gone', async () => {
    const { path, queue } = await queueOf(['Moved and left']);
    const { page } = await stage.visit(path);
    await page.getByRole('button', { name: 'Move Moved and left' }).click();
    await page.getByRole('dialog').getByText('A free slot').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByRole('button', { name: 'Undo', exact: true }).waitFor();

    await page.goto(`${stage.world.url}/design`);

    await expect.poll(queue).toEqual([]);
  });

  it('moves a post before it signs out, although undo still shows', async () => {
    const { path, queue } = await queueOf(['Moved and signed out']);
    const { page } = await stage.visit(path);
    await page.getByRole('button', { name: 'Move Moved and signed out' }).click();
    await page.getByRole('dialog').getByText('A free slot').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByRole('button', { name: 'Undo', exact: true }).waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();

    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect(await queue()).toEqual([]);
  });

  it.each(['left', 'shown'])('says once that a post was not moved when the view is %s', async (state) => {
    const { path, queue } = await queueOf(['Cannot move']);
    const [before] = await queue();
    const { page } = await stage.visit(path, { refusedAt: ['/owner/trpc/posts.reschedule'] });
    await page.getByRole('button', { name: 'Move Cannot move' }).click();
    await page.getByRole('dialog').getByText('A free slot').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByRole('button', { name: 'Undo', exact: true }).waitFor();
    // It is no longer scheduled, so it cannot move.
    await stage.world.rest(`DELETE /posts/${before.id}`);
    if (state === 'left') {
      await page.getByRole('link', { name: 'Posts', exact: true }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Posts' }).waitFor();
    }

    await page.getByRole('button', { name: 'Close the message' }).click();

    const problem = page.locator('.problem');
    const message = page.getByText(/^The post was not moved\. ./);
    await (state === 'left' ? message : problem).waitFor();
    expect(await message.count()).toBe(state === 'left' ? 1 : 0);
  });

  it('changes the order with the keyboard alone, at once and in another tab too, and takes it back with undo', async () => {
    const { path, queue, texts } = await queueOf(['First', 'Second', 'Third']);
    const before = await queue();
    const { page } = await stage.visit(path);
    const other = await stage.visit(path);
    await placesOf(other.page).nth(2).getByText('Third').waitFor();
    await placesOf(page).nth(2).getByText('Third').waitFor();
    await expectGoodView(page);
    await page.getByRole('button', { name: 'Move Third up' }).focus();

    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');

    await placesOf(page).nth(0).getByText('Third').waitFor();
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Move Third down');
    await expect.poll(texts).toEqual(['Third', 'First', 'Second']);
    const after = await queue();
    expect(timesOf(after)).toEqual(timesOf(before));
    await placesOf(other.page).nth(0).getByText('Third').waitFor();
    await placesOf(other.page).nth(2).getByText('Second').waitFor();
    await page.getByText('The order of the queue is changed.').waitFor();
    const { body } = await stage.world.rest('GET /audit?operation=connections.orderQueue');
    expect(body.entries).toHaveLength(1);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await placesOf(page).nth(0).getByText('First').waitFor();
    await expect.poll(queue).toEqual(before);
  });

  it('changes the order by drag: the posts between move by one place', async () => {
    const { path, texts } = await queueOf(['First', 'Second', 'Third', 'Fourth']);
    // The drag of a test cannot scroll.
    const { page } = await stage.visit(path, { size: { width: 1280, height: 1600 } });
    await placesOf(page).nth(3).getByText('Fourth').waitFor();

    await placesOf(page)
      .filter({ hasText: 'First' })
      .dragTo(placesOf(page).filter({ hasText: 'Third' }));

    await placesOf(page).nth(2).getByText('First').waitFor();
    await expect.poll(texts).toEqual(['Second', 'Third', 'First', 'Fourth']);
  });

  it.each<[string, (page: Page) => Promise<unknown>]>([
    ['view', (page) => page.getByRole('link', { name: 'Posts' }).first().click()],
    ['page', (page) => page.goto(`${stage.world.url}/design`)],
  ])('sends the last order when the %s is left', async (_name, leave) => {
    const { path, texts } = await queueOf(['First', 'Second']);
    const { page } = await stage.visit(path);

    await page.getByRole('button', { name: 'Move First down' }).click();
    await leave(page);

    await expect.poll(texts).toEqual(['Second', 'First']);
  });

  it('says that an order was refused also when the view was left', async () => {
    const { path } = await queueOf(['First', 'Second']);
    const { page } = await stage.visit(path, { refusedAt: ['/owner/trpc/connections.orderQueue'] });
    await page.route('**/owner/trpc/connections.orderQueue*', (route) => route.abort());
    await page.getByRole('button', { name: 'Move First down' }).click();

    await page.getByRole('link', { name: 'Posts', exact: true }).first().click();

    await page.getByText(/^The order of the queue was not changed\. ./).waitFor();
  });

  it('shows the earlier order again, and why, when a post is being sent', async () => {
    const { path, id, texts } = await queueOf(['First', 'Second']);
    const { page } = await stage.visit(path, { refusedAt: ['/owner/trpc/connections.orderQueue'] });
    const button = page.getByRole('button', { name: 'Move Second up' });
    await button.waitFor();
    await stage.world.sql(
      `update posts set status = 'processing', slot_at = null, claim = id, claimed_until = $2
       where connection_id = $1 and text = 'First'`,
      [id, new Date(stage.world.clock.now().getTime() + 86_400_000)],
    );

    await button.click();

    await page.getByText(/^A worker is sending the post/).waitFor();
    await placesOf(page).nth(0).getByText('First').waitFor();
    expect(await texts()).toEqual(['First', 'Second']);
  });
});
