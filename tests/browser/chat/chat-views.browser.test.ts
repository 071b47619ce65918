/** The views of answers in a chat: in the extension's own host, in a sandboxed frame of a real browser. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { connectSandbox } from '../../harness/connections.ts';
import { type Shown, HAS_BROWSER, useChat } from './chat-host.ts';
import { expectGoodFrame } from './frame-checks.ts';

const chat = useChat();

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A text that would run, load or break out if any of it were markup. */
const HOSTILE = [
  '<img src="https://evil.example/pixel" onerror="parent.hacked = 1">',
  '</script><script>document.title = "hacked"</script>',
  '<a href="javascript:alert(1)">click</a> <iframe src="https://evil.example/"></iframe>',
  '{{constructor.constructor("hacked = 1")()}} \u202e desrever',
].join('\n');

const inDays = (days: number) => new Date(chat.world.clock.now().getTime() + days * DAY_MS).toISOString();

const textOf = (shown: Shown) => shown.view.evaluate<string>('document.body.innerText');

/** Elements that a view never has. */
const foreignElements = ({ view }: Shown) =>
  view.locator('img, iframe, object, embed, form, a[href^="javascript"]').count();

describe.skipIf(!HAS_BROWSER)('the result of a send', () => {
  it('shows each connection with its status, its link or its error', async () => {
    const { slug } = await connectSandbox(chat.world, { slug: 'bell-result', description: 'Bell' });
    const input = { text: 'Concert at noon', connectionSlugs: [slug, 'nowhere'] };

    const shown = await chat.show('create_post', input);

    const { view } = shown;
    await view.getByText('1 sent, 1 failed.').waitFor();
    expect(await view.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^nowhere failed[^]*invalid_connection/),
      expect.stringMatching(/^bell-result sent/),
    ]);
    await expectGoodFrame(shown);
  });

  it('has the host open the permalink, by keyboard too', async () => {
    const input = { text: 'With a link', connectionSlugs: [chat.world.sandboxSlug] };
    const { view, result, host } = await chat.show('create_post', input);
    const { results } = result.structuredContent as { results: { url: string }[] };

    await view.getByRole('link', { name: 'See it there' }).focus();
    await view.page().keyboard.press('Enter');

    await expect.poll(() => host('hostLog.links')).toEqual([results[0]?.url]);
  });

  it('names the address when the host opens no links', async () => {
    const input = { text: 'Without links', connectionSlugs: [chat.world.sandboxSlug] };
    const { view, result } = await chat.show('create_post', input, { without: ['openLinks'] });
    const { results } = result.structuredContent as { results: { url: string }[] };

    await view.getByText(results[0]?.url ?? '').waitFor();
    expect(await view.getByRole('link').count()).toBe(0);
  });

  it('shows when a scheduled post goes out, in the time zone of the person', async () => {
    const input = { text: 'Later', connectionSlugs: [chat.world.sandboxSlug], scheduledFor: '2026-11-24T09:30:00Z' };

    const { view } = await chat.show('create_post', input, { context: { timeZone: 'Asia/Tokyo' } });

    await view.getByText('1 scheduled.').waitFor();
    const words = await view.getByRole('listitem').innerText();
    expect(words).toMatch(/Goes out .*24.*(18:30|06:30 PM)/);
    expect(words).toContain('(Asia/Tokyo)');
  });

  it('says that a post waits for approval, and that nothing has gone out', async () => {
    const input = { text: 'May I?', connectionSlugs: [chat.world.sandboxSlug] };
    const { secret } = await chat.world.key({ approval: 'required' });
    const { body } = await chat.world.rest('POST /posts', { key: secret, body: input });

    const { view } = await chat.show('create_post', input, { result: { content: [], structuredContent: body } });

    await view.getByText('1 waiting for approval.').waitFor();
    await view.getByText('Nothing has gone out: an owner decides.').waitFor();
  });

  it('shows a published draft, which the agent did not write again', async () => {
    const draft = { text: 'Draft', connectionSlugs: [chat.world.sandboxSlug], isDraft: true };
    const { results } = (await chat.world.rest('POST /posts', { body: draft })).body;

    const { view } = await chat.show('publish_draft', { postId: results[0].postId });

    await view.getByText('1 sent.').waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('a preview', () => {
  it('shows each connection, its limits, and what a send would refuse', async () => {
    const { slug } = await connectSandbox(chat.world, { slug: 'bell-preview', description: 'Bell tower' });
    const input = { text: 'First', thread: ['Second'], connectionSlugs: [slug, 'nowhere'] };

    const shown = await chat.show('validate_post', input);

    const { view, calls } = shown;
    await view.getByText('1 of 2 connections would accept this post.').waitFor();
    await view.getByText('Bell tower').first().waitFor();
    expect(await view.getByRole('article').allInnerTexts()).toEqual([
      expect.stringContaining('First'),
      expect.stringContaining('Second'),
    ]);
    await view.getByText(/^Length 5 of \d+, as the platform counts$/).waitFor();
    await expectGoodFrame(shown);
    await view.getByLabel('Connection').selectOption({ label: 'nowhere (refused)' });
    await view.getByText('invalid_connection').waitFor();
    expect(calls[0]).toEqual(['list_connections', {}]);
  });

  it('is readable when the host calls no tools', async () => {
    const input = { text: 'No tools', connectionSlugs: [chat.world.sandboxSlug] };

    const { view, calls } = await chat.show('validate_post', input, { without: ['serverTools'] });

    await view.getByText('A send would be accepted.').waitFor();
    expect(await view.getByRole('article').innerText()).toContain('No tools');
    expect(calls).toEqual([]);
  });

  it('shows a draft after it was edited, and a post with all its parts', async () => {
    const draft = { text: 'Draft', connectionSlugs: [chat.world.sandboxSlug], isDraft: true, thread: ['Reply'] };
    const { results } = (await chat.world.rest('POST /posts', { body: draft })).body;
    const { postId } = results[0];

    const edited = await chat.show('update_draft', { postId, text: 'Edited draft' });
    await edited.view.getByText('Edited draft').waitFor();
    const whole = await chat.show('get_post', { postId });

    await whole.view.getByText('draft', { exact: true }).waitFor();
    expect(await whole.view.getByRole('article').allInnerTexts()).toEqual([
      expect.stringContaining('Edited draft'),
      expect.stringContaining('Reply'),
    ]);
  });
});

describe.skipIf(!HAS_BROWSER)('the metrics of a post', () => {
  it('show the newest read, what was not reported, and how they grew', async () => {
    const body = { text: 'Measured', connectionSlugs: [chat.world.sandboxSlug] };
    const { results } = (await chat.world.rest('POST /posts', { body })).body;
    for (let hours = 0; hours < 4; hours += 1) await chat.world.advance(2 * HOUR_MS);

    const shown = await chat.show('get_post_metrics', { postId: results[0].postId });

    const { latest, history } = shown.result.structuredContent as {
      latest: { likes: number };
      history: unknown[];
    };
    const { view } = shown;
    await view.getByText('Likes').first().waitFor();
    expect(await view.locator('.metrics').innerText()).toContain(String(latest.likes));
    await view.getByText('The values as a table').press('Enter');
    expect(await view.getByRole('row').count()).toBe(history.length + 1);
    await expectGoodFrame(shown);
  });

  it('say when there are none yet', async () => {
    const body = { text: 'Fresh', connectionSlugs: [chat.world.sandboxSlug] };
    const { results } = (await chat.world.rest('POST /posts', { body })).body;

    const { view } = await chat.show('get_post_metrics', { postId: results[0].postId });

    await view.getByText('The first metrics are read an hour after sending.').waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('the calendar of a week', () => {
  const write = (text: string, days: number) =>
    chat.world.rest('POST /posts', {
      body: { text, connectionSlugs: [chat.world.sandboxSlug], scheduledFor: inDays(days), tags: ['week'] },
    });
  const day = (days: number) => inDays(days).slice(0, 10);

  it('shows posts by day, and the next week at the press of a key', async () => {
    await write('This week', 1);
    await write('Next week', 8);

    const shown = await chat.show(
      'list_calendar',
      { from: day(0), to: day(6), tag: ['week'] },
      { context: { timeZone: 'UTC' } },
    );

    const { view, calls, page } = shown;
    await view.getByText('This week').first().waitFor();
    await expectGoodFrame(shown);
    expect(await view.getByText('Next week', { exact: true }).count()).toBe(0);
    // The world begins on a Saturday, so Sunday of the next week is eight days away.
    await view.getByRole('button', { name: 'Next week' }).focus();
    await page.keyboard.press('Enter');
    await view.getByText('Next week', { exact: true }).first().waitFor();
    expect(calls).toEqual([
      ['list_calendar', { tag: ['week'], from: '2026-11-23T00:00:00.000Z', to: '2026-11-29T23:59:59.999Z' }],
    ]);
    expect(await view.getByText('This week', { exact: true }).count()).toBe(0);
  });

  it('opens a post with its whole text', async () => {
    const text = `${'Long '.repeat(60)}end`;
    await write(text, 2);
    const { view } = await chat.show('list_calendar', { from: day(2), to: day(2) }, { context: { timeZone: 'UTC' } });

    await view.locator('summary', { hasText: 'Long' }).press('Enter');

    await view.getByText('Long end').last().waitFor();
  });

  it('has no other weeks when the host calls no tools', async () => {
    const { view } = await chat.show('list_calendar', { from: day(40), to: day(41) }, { without: ['serverTools'] });

    await view.getByText('No posts').first().waitFor();
    expect(await view.getByRole('button', { name: 'Previous week' }).isDisabled()).toBe(true);
  });
});

describe.skipIf(!HAS_BROWSER)('the posts that wait for approval', () => {
  it('show what, when, by whom and why, and have the host open the page on which an owner decides', async () => {
    const { id, secret } = await chat.world.key({ approval: 'required' });
    await chat.world.rest(`PUT /policies/${id}`, { body: { approvalWords: ['refund'] } });
    const body = { text: 'A refund', thread: ['And more'], connectionSlugs: [chat.world.sandboxSlug], queue: false };
    await chat.world.rest('POST /posts', { key: secret, body });

    const path = '/mcp/x/approvals';
    const shown = await chat.show('list_approvals', {}, { path, context: { timeZone: 'Europe/Lisbon' } });

    const { view, result, host } = shown;
    const { approvals, consoleUrl } = result.structuredContent as { approvals: unknown[]; consoleUrl: string };
    await view.getByText(`${approvals.length} of these wait for approval.`).waitFor();
    expect(await view.getByRole('listitem').last().innerText()).toMatch(
      /pending[^]*A refund[^]*And more[^]*Goes out when it is approved. Asked by A key, until[^]*word "refund"/,
    );
    await expectGoodFrame(shown);
    await view.getByRole('link', { name: 'Open the approvals' }).focus();
    await view.page().keyboard.press('Enter');
    await expect.poll(() => host('hostLog.links')).toEqual([consoleUrl]);
    expect(await view.getByRole('button').count()).toBe(0);
  });
});

describe.skipIf(!HAS_BROWSER)('any view', () => {
  it.each([
    ['validate_post', {}],
    ['create_post', {}],
    ['create_post', { scheduledFor: '2026-11-25T09:00:00Z' }],
  ])('shows hostile text of %s as text: nothing runs, nothing is loaded', async (tool, more) => {
    const input = { text: HOSTILE, connectionSlugs: [chat.world.sandboxSlug], ...more };

    const shown = await chat.show(tool, input);

    await shown.view.getByText('evil.example/pixel').first().waitFor();
    const words = await textOf(shown);
    for (const line of HOSTILE.split('\n')) expect(words).toContain(line.trim());
    expect(await foreignElements(shown)).toBe(0);
    expect(await shown.view.title()).not.toBe('hacked');
    expect(await shown.host('typeof hacked')).toBe('undefined');
  });

  it('shows hostile text of a calendar as text', async () => {
    const body = { text: HOSTILE, connectionSlugs: [chat.world.sandboxSlug], scheduledFor: inDays(15) };
    await chat.world.rest('POST /posts', { body });
    const from = inDays(15).slice(0, 10);

    const shown = await chat.show('list_calendar', { from, to: from }, { context: { timeZone: 'UTC' } });

    await shown.view.getByText('evil.example/pixel').first().waitFor();
    expect(await foreignElements(shown)).toBe(0);
  });

  it('does not link to what is no web address', async () => {
    const result = {
      content: [],
      structuredContent: {
        results: [
          {
            connectionSlug: 'bell',
            status: 'sent',
            postId: null,
            url: 'javascript:parent.hacked=1',
            scheduledFor: null,
            threadCount: 0,
            hasFirstComment: false,
            error: null,
          },
        ],
      },
    };
    const input = { text: 'x', connectionSlugs: [chat.world.sandboxSlug] };

    const shown = await chat.show('create_post', input, { result });

    await shown.view.getByText('javascript:parent.hacked=1').waitFor();
    expect(await shown.view.getByRole('link').count()).toBe(0);
  });

  it('cannot reach the network, the host’s page or its storage', async () => {
    const reached: string[] = [];
    const outside = createServer(({ url }, response) => response.end(String(reached.push(url ?? '')))).listen(
      0,
      '127.0.0.1',
    );
    await once(outside, 'listening');
    const address = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/`;
    const { view, complaints, requests } = await chat.show('validate_post', {
      text: 'x',
      connectionSlugs: [chat.world.sandboxSlug],
    });
    await view.getByText('A send would be accepted.').waitFor();

    // The policy refuses these before a request is made.
    const refused = await view.evaluate<string[]>(`(async () => {
      const blocked = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => blocked.push(effectiveDirective));
      const silent = (run) => Promise.resolve().then(run).catch(() => undefined);
      await silent(() => fetch('${address}'));
      const image = document.createElement('img');
      image.src = '${address}';
      await new Promise((resolve) => { image.onerror = resolve; });
      await silent(() => { document.body.innerHTML = '<b>markup</b>'; });
      await silent(() => parent.document.title);
      await silent(() => localStorage.setItem('a', 'b'));
      await new Promise((resolve) => setTimeout(resolve, 50));
      return blocked;
    })()`);

    expect(refused).toEqual(expect.arrayContaining(['connect-src', 'img-src', 'require-trusted-types-for']));
    expect(complaints().join('\n')).toMatch(/connect-src[^]*img-src[^]*TrustedHTML/);
    // The browser reports an image that it refused to load.
    expect(requests()).toEqual([address]);
    expect(reached).toEqual([]);
    outside.close();
  });

  it('says that it waits, that the call was cancelled, and why it failed', async () => {
    const input = { text: 'x', connectionSlugs: [chat.world.sandboxSlug] };
    const waiting = await chat.show('validate_post', input, { result: null });
    await waiting.view.getByText('Waiting for the answer of the tool.').waitFor();
    await waiting.host('sendCancelled()');
    await waiting.view.getByText('The call was cancelled.').waitFor();

    const failed = await chat.show('publish_draft', { postId: '01a1fdfa-4600-7051-a4e5-000000000000' });

    await failed.view
      .getByRole('alert')
      .getByText(/^not_found: /)
      .waitFor();
  });

  it('reads the text of a host that leaves the structured answer out', async () => {
    const input = { text: 'Only text', connectionSlugs: [chat.world.sandboxSlug] };
    const { body } = await chat.world.rest('POST /posts/validate', { body: input });

    const { view } = await chat.show('validate_post', input, {
      result: { content: [{ type: 'text', text: JSON.stringify(body) }] },
    });

    await view.getByText('A send would be accepted.').waitFor();
  });

  it('says so when it cannot read the answer', async () => {
    const input = { text: 'x', connectionSlugs: [chat.world.sandboxSlug] };

    const { view, complaints } = await chat.show(
      'get_post_metrics',
      { postId: await postId(input) },
      {
        result: { content: [], structuredContent: { latest: { likes: 1 }, history: 'none' } },
      },
    );

    await view.getByText('This answer cannot be shown here. Read it in the chat.').waitFor();
    expect(complaints()).toEqual([expect.stringContaining('Error')]);
  });

  it('follows the theme of the host, also when it changes, whichever the system has', async () => {
    const input = { text: 'x', connectionSlugs: [chat.world.sandboxSlug] };
    const shown = await chat.show('validate_post', input, { context: { theme: 'dark' } });
    const colors = () =>
      shown.view.evaluate<string[]>(
        '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.documentElement).colorScheme]',
      );
    const DARK = ['rgb(22, 33, 30)', 'dark'];
    const LIGHT = ['rgb(250, 252, 251)', 'light'];

    await expect.poll(colors).toEqual(DARK);
    await shown.host('setContext({ theme: "light" })');
    await expect.poll(colors).toEqual(LIGHT);
    await shown.page.emulateMedia({ colorScheme: 'dark' });
    expect(await colors()).toEqual(LIGHT);
    await shown.host('setContext({ theme: "dark" })');
    await expect.poll(colors).toEqual(DARK);
  });

  it('reports its height, so that the frame does not scroll, and ends when the host asks', async () => {
    const { view, host } = await chat.show('validate_post', {
      text: 'Line\n'.repeat(40),
      connectionSlugs: [chat.world.sandboxSlug],
    });
    await view.getByText('A send would be accepted.').waitFor();

    await expect.poll(() => view.evaluate<boolean>('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
    const sizes = await host<{ height: number }[]>('hostLog.sizes');
    expect(sizes.at(-1)?.height).toBeGreaterThan(600);
    expect(await host('teardown()')).toEqual({});
  });
});

async function postId(body: object): Promise<string> {
  return (await chat.world.rest('POST /posts', { body })).body.results[0].postId;
}
