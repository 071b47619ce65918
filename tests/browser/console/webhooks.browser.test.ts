/** Webhooks in a real browser. */
import { describe, expect, it } from 'vitest';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { pressLabel } from '../press-label.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const stage = useConsole();

/** A text that is written from right to left. */
const HEBREW = '\u05e9\u05dc\u05d5\u05dd';

describe.skipIf(!HAS_BROWSER)('Webhooks', () => {
  it('registers one with the keyboard alone, and shows its secret once', async () => {
    const { url, received } = await startReceiver();
    const { page } = await stage.visit('/webhooks');
    await page.getByText('No webhook is registered').waitFor();
    await expectGoodView(page);
    await page.getByRole('textbox', { name: 'Address' }).focus();
    await page.keyboard.type(url);
    await page.keyboard.press('Tab');
    await page.keyboard.type('Own app');
    await page.keyboard.press('Enter');

    const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    expect(secret).toMatch(/^whsec_.{43}$/);
    await expectGoodView(page);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await page.getByText(secret).count()).toBe(0);
    await page.getByRole('link', { name: url }).click();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('pending', { exact: true }).nth(1).waitFor();
    await stage.world.runDue();

    await page.getByText('The receiver answered 200.').waitFor();
    expect(received.map(({ body }) => [body.event, body.test])).toEqual([['post.sent', true]]);
  });

  it('says what failed, filters by status in the address, and replays', async () => {
    const receiver = await startReceiver(500);
    const { id } = await registerWebhook(stage.world, receiver.url);
    await stage.world.rest(`POST /webhooks/${id}/test`);
    await stage.world.runDue();
    for (const hours of [1, 1, 1, 3, 7, 13]) await stage.world.advance(hours * 3_600_000);
    const { page } = await stage.visit(`/webhooks/${id}?status=dead`);
    const list = page.getByRole('list', { name: 'Deliveries, newest first' });
    await list.getByText('Attempts: 7 of 7.').waitFor();
    await list.getByText('The receiver answered 500.').waitFor();
    await expectGoodView(page);
    receiver.answer(200);

    await list.getByRole('button', { name: /^Replay/ }).click();
    await page.getByText('No delivery has this status.').waitFor();
    await stage.world.runDue();
    await pressLabel(page.getByRole('radio', { name: 'delivered' }));

    await list.getByText('The receiver answered 200.').waitFor();
    expect(new URL(page.url()).search).toBe('?status=delivered');
  });

  it('opens a delivery by its address: the exact body as text, every attempt, and a replay by keyboard', async () => {
    const receiver = await startReceiver(500);
    const { id, url, secret } = await registerWebhook(stage.world, receiver.url);
    const markup = `<b>bold</b> ${HEBREW} ${'x'.repeat(400)}`;
    const [postId] = await stage.write([markup]);
    await stage.world.runDue();
    receiver.answer(204);
    await stage.world.advance(60_000);
    const { page } = await stage.visit(`/posts/${postId}`);
    const events = page.getByRole('region', { name: 'Events' });
    await events.getByText('2 attempts, answered 204').waitFor();
    await expectGoodView(page);

    await events.getByRole('link', { name: url }).click();

    const panel = page.getByRole('region', { name: 'Delivery', exact: true });
    const attempts = panel.getByRole('list', { name: 'Attempts, newest first' });
    await attempts.getByText('The receiver answered HTTP 500.').waitFor();
    expect(await attempts.getByRole('listitem').count()).toBe(2);
    const shown = await panel.locator('pre').textContent();
    expect(JSON.parse(shown ?? '')).toEqual(receiver.received[0]?.body);
    expect(shown).toContain('<b>bold</b>');
    expect(await panel.locator('pre b').count()).toBe(0);
    expect(await page.content()).not.toContain(secret);
    const { searchParams, pathname } = new URL(page.url());
    expect([pathname, searchParams.get('delivery')]).toEqual([`/webhooks/${id}`, receiver.received[0]?.body.eventId]);
    await expectGoodView(page);
    await panel.getByRole('button', { name: /^Replay/ }).focus();
    await page.keyboard.press('Enter');
    await panel.getByText('pending', { exact: true }).waitFor();
    await stage.world.runDue();
    await attempts.getByRole('listitem').nth(2).waitFor();
    await panel.getByRole('link', { name: 'Close the delivery' }).click();
    await panel.waitFor({ state: 'detached' });
    await page.goBack();
    await attempts.waitFor();
  });

  it('says in the words of the error table that a delivery does not exist', async () => {
    const { id } = await registerWebhook(stage.world, (await startReceiver()).url);
    const { page } = await stage.visit(`/webhooks/${id}?delivery=01a202f3-8cd8-701b-b6cc-408cab47ea77`, {
      refusedAt: ['/owner/trpc/webhooks.delivery', '/owner/trpc/webhooks.deliveries'],
    });

    await page
      .getByRole('region', { name: 'Delivery', exact: true })
      .getByRole('link', { name: 'not_found' })
      .waitFor();
  });

  it('changes, disables with undo, rotates after a question, and deletes', async () => {
    const { id, secret } = await registerWebhook(stage.world, (await startReceiver()).url);
    const { page } = await stage.visit(`/webhooks/${id}`);
    await page.getByLabel('Description').fill('Renamed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('main').getByText('Renamed').waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('A person or a program disabled it.').waitFor();
    expect(await page.getByRole('button', { name: 'Send a test event' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Send a test event' }).waitFor();

    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate' }).click();
    expect(await page.getByLabel('Secret', { exact: true }).inputValue()).not.toBe(secret);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();

    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    const { body } = await stage.world.rest('GET /webhooks');
    expect(body.webhooks.map((webhook: { id: string }) => webhook.id)).not.toContain(id);
  });

  it('shows in the fields what others change meanwhile, and does not write over it', async () => {
    const { id, url } = await registerWebhook(stage.world, (await startReceiver()).url);
    const { page } = await stage.visit(`/webhooks/${id}`);
    await page.getByLabel('Description').fill('Written here');
    const moved = `${url}?moved`;
    await stage.world.rest(`PATCH /webhooks/${id}`, { body: { url: moved, events: ['post.failed'] } });
    await expect.poll(() => page.getByRole('textbox', { name: 'Address' }).inputValue()).toBe(moved);

    await page.getByRole('button', { name: 'Save' }).click();

    await page.getByText('The webhook is changed.').first().waitFor();
    const { webhooks } = (await stage.world.rest('GET /webhooks')).body;
    expect(webhooks.find((one: { id: string }) => one.id === id)).toMatchObject({
      url: moved,
      events: ['post.failed'],
      description: 'Written here',
    });
  });

  it('shows what others register, and why an address is refused', async () => {
    const { page } = await stage.visit('/webhooks', { refusedAt: ['/owner/trpc/webhooks.create'] });
    await page.getByRole('heading', { name: 'Register a webhook' }).waitFor();
    const { url } = await registerWebhook(stage.world, (await startReceiver()).url);
    await page.getByRole('link', { name: url }).waitFor();

    await page.getByRole('textbox', { name: 'Address' }).fill('http://192.168.0.1/hook');
    await page.getByRole('button', { name: 'Register' }).click();

    await page.getByRole('alert').getByRole('link', { name: 'invalid_request' }).waitFor();
  });
});
