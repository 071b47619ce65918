/** The dialogs that move a post show the post as it is now, also when it changes elsewhere while they are open. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { HAS_BROWSER, useConsole } from './console-stage.ts';

const stage = useConsole();

const ZONE = 'Europe/Paris';

/** Address of the week of tomorrow, and a post that is scheduled for it. */
async function scheduled(text: string) {
  const day = new Date(stage.world.clock.now().getTime() + 86_400_000).toISOString().slice(0, 10);
  const [id = ''] = await stage.write([text], { scheduledFor: `${day}T10:30`, timezone: ZONE });
  return { id, day, path: `/calendar?view=week&zone=${ZONE}&date=${day}` };
}

/** What the service says about the time of a post, in Paris. */
async function timeOf(postId: string): Promise<string> {
  const { body } = await stage.world.rest(`GET /posts/${postId}`);
  return new Date(body.post.scheduledFor).toLocaleString('sv-SE', { timeZone: ZONE }).slice(0, 16);
}

const dialogOf = (page: Page) => page.getByRole('dialog');

const moveButtonOf = (page: Page) => dialogOf(page).getByRole('button', { name: 'Move', exact: true });

describe.skipIf(!HAS_BROWSER)('the dialog of a post', () => {
  it('in the calendar shows the time to which the post was moved elsewhere, and moves it from there', async () => {
    const { id, day, path } = await scheduled('Moved elsewhere');
    const { page } = await stage.visit(path);
    await page.getByRole('button', { name: /Moved elsewhere/ }).press('Enter');
    const field = dialogOf(page).getByLabel('Date and time');
    await expect.poll(() => field.inputValue()).toBe(`${day}T10:30`);

    const body = { scheduledFor: `${day}T16:00`, timezone: ZONE };
    await stage.world.rest(`POST /posts/${id}/reschedule`, { body });

    await expect.poll(() => field.inputValue()).toBe(`${day}T16:00`);
    await field.fill(`${day}T18:15`);
    await moveButtonOf(page).click();
    await page.getByText(/^The post goes out/).waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();

    await page.getByRole('button', { name: /^16:00 Moved elsewhere/ }).waitFor();
    await expect.poll(() => timeOf(id)).toBe(`${day} 16:00`);
  });

  it('in the calendar says that the post is no longer there, and does not offer to move it', async () => {
    const { id, path } = await scheduled('Cancelled elsewhere');
    const { page } = await stage.visit(path);
    await page.getByRole('button', { name: /Cancelled elsewhere/ }).press('Enter');
    await moveButtonOf(page).waitFor();

    await stage.world.rest(`DELETE /posts/${id}`);

    await dialogOf(page)
      .getByText(/no longer shows this post/)
      .waitFor();
    expect(await moveButtonOf(page).count()).toBe(0);
    await dialogOf(page).getByRole('button', { name: 'Close' }).click();
  });

  it('in a queue says that the post has left the queue, and does not offer to move it', async () => {
    const [connection] = await stage.connect(1);
    const slots = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '09:00' }));
    await stage.world.rest(`PATCH /connections/${connection?.id}/queue`, { body: { slots, timezone: ZONE } });
    const [id] = await stage.write(['Left the queue'], { connectionSlugs: [connection?.slug], queue: true });
    const { page } = await stage.visit(`/queues?connection=${connection?.id}`);
    await page.getByRole('button', { name: 'Move Left the queue' }).click();
    await moveButtonOf(page).waitFor();

    await stage.world.rest(`DELETE /posts/${id}`);

    await dialogOf(page)
      .getByText(/has left the queue/)
      .waitFor();
    expect(await moveButtonOf(page).count()).toBe(0);
    await dialogOf(page).getByRole('button', { name: 'Close' }).click();
  });
});
