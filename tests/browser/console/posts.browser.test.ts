/** Posts and one post in a real browser. */
import { describe, expect, it } from 'vitest';
import { connectSandbox } from '../../harness/connections.ts';
import { createProfile } from '../../harness/profiles.ts';
import { pressLabel } from '../press-label.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView, expectNoViolation } from './view-checks.ts';

const stage = useConsole();

const DAY_MS = 86_400_000;
const after = (ms: number) => new Date(stage.world.clock.now().getTime() + ms).toISOString();
const tomorrow = () => after(DAY_MS);
const inTwoMinutes = () => after(120_000);

/** A text that is written from right to left, and one without a space. */
const HEBREW = '\u05e9\u05dc\u05d5\u05dd, \u05e2\u05d5\u05dc\u05dd';
const ENDLESS = 'x'.repeat(400);

describe.skipIf(!HAS_BROWSER)('the list of posts', () => {
  it('teaches when there is none', async () => {
    const { page } = await stage.visit('/posts');

    await page.getByText('No posts yet').waitFor();
    await expectGoodView(page);
  });

  it('is good in every scheme and size, with long texts and texts from right to left', async () => {
    await stage.write([HEBREW, ENDLESS]);
    await stage.write(['[[reject]] Refused'], { tags: ['launch', 'a:b'] });
    await stage.write(['Waits'], { scheduledFor: tomorrow() });
    await stage.write(['Draft'], { isDraft: true });
    const { page } = await stage.visit('/posts');

    await page.getByRole('article').nth(4).waitFor();
    await expectGoodView(page);
  });

  it('filters by links: the address says what is shown, and back returns to it', async () => {
    const { page } = await stage.visit('/posts?status=draft');
    await page.getByRole('article').filter({ hasText: 'Draft' }).waitFor();
    expect(await page.getByRole('article').count()).toBe(1);

    await page.getByRole('button', { name: /Status/ }).click();
    await page.getByRole('option', { name: 'failed' }).click();
    await page.getByRole('article').filter({ hasText: 'Refused' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=failed');
    await page.getByRole('link', { name: '#launch' }).click();
    expect(new URL(page.url()).search).toBe('?tag=launch');
    await page.getByRole('button', { name: 'Remove the filter for tag launch' }).waitFor();
    await page.goBack();
    await page.goBack();

    await page.getByRole('article').filter({ hasText: 'Draft' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=draft');
  });

  it('shows the posts of one connection, and none of another profile with its slug', async () => {
    const profile = await createProfile(stage.world, stage.world.liveKey, { name: 'Twin customer' });
    const own = await connectSandbox(stage.world, { slug: 'twin-bell' });
    await connectSandbox(stage.world, { slug: 'twin-bell', profileId: profile.id });
    await stage.write(['Twin of the account'], { connectionSlugs: ['twin-bell'] });
    await stage.write(['Twin of the customer'], { connectionSlugs: ['twin-bell'], profileId: profile.id });
    const { page } = await stage.visit(`/connections/${own.id}`);

    await page.getByRole('link', { name: 'Posts of this connection' }).click();

    await page.getByRole('article').filter({ hasText: 'Twin of the account' }).waitFor();
    expect(await page.getByRole('article').count()).toBe(1);
    await page.getByRole('button', { name: /twin-bell, without a profile.*Connection/ }).waitFor();
  });

  it('searches for words while they are typed', async () => {
    const { page } = await stage.visit('/posts');

    await page.getByLabel('Words').fill('waits');

    await page.getByRole('article').filter({ hasText: 'Waits' }).waitFor();
    await expect.poll(() => page.getByRole('article').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('q')).toBe('waits');
  });

  it('cancels many, and shows why one was not', async () => {
    await stage.write(['Cancel me 1', 'Cancel me 2'], { scheduledFor: tomorrow() });
    await stage.write(['Cancel me 3'], { scheduledFor: inTwoMinutes() });
    const { page } = await stage.visit('/posts?status=scheduled&q=cancel', {
      refusedAt: ['/owner/trpc/posts.delete'],
    });
    await page.getByRole('article').nth(2).waitFor();

    await pressLabel(page.getByRole('checkbox', { name: 'Select all loaded' }));
    await page.getByRole('button', { name: 'Cancel 3' }).click();
    await stage.world.advance(180_000);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();

    await page.getByText('Cancel: 3 of 3 finished.').waitFor();
    await page.getByText('2 of 3 posts cancelled.').waitFor();
    await page.getByText('The post is sent, not scheduled, so it stays as it is.').waitFor();
    const { body } = await stage.world.rest('GET /posts?q=cancel');
    expect(body.posts.map(({ status }: { status: string }) => status)).toEqual(['sent', 'cancelled', 'cancelled']);
  });

  it('begins no action while another one is in progress', async () => {
    await stage.write(['Turn 1', 'Turn 2'], { scheduledFor: tomorrow() });
    const { page } = await stage.visit('/posts?q=turn');
    await page.getByRole('article').nth(1).waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/owner/trpc/posts.delete*', (route) => held.promise.then(() => route.continue()));
    const tools = page.getByRole('toolbar', { name: 'Selected posts' });
    await pressLabel(page.getByRole('checkbox', { name: 'Select all loaded' }));
    await page.getByRole('button', { name: 'Cancel 2' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancel: 0 of 2 finished.').waitFor();

    await pressLabel(page.getByRole('checkbox', { name: 'Select all loaded' }));

    await page.getByText('The next action can begin when the present one is over.').waitFor();
    expect(await tools.getByRole('button').count()).toBe(0);
    held.resolve();
    await page.getByText('2 of 2 posts cancelled.').waitFor();
    await page.getByRole('button', { name: 'Tag 2' }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('takes down the posts that the question named, and none that goes out while it is open', async () => {
    const [up] = await stage.write(['Asked about']);
    const [later] = await stage.write(['Asked later'], {
      scheduledFor: inTwoMinutes(),
    });
    const { page } = await stage.visit('/posts?q=asked');
    await page.getByRole('article').nth(1).waitFor();
    await pressLabel(page.getByRole('checkbox', { name: 'Select all loaded' }));
    await page.getByRole('button', { name: 'Take down 1' }).click();
    await page.getByRole('alertdialog', { name: 'Take down: 1 post?' }).waitFor();

    await stage.world.advance(180_000);
    await page.locator('article').filter({ hasText: 'Asked later' }).getByText('sent', { exact: true }).waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Take down' }).click();

    await page.getByText('1 of 1 post taken down.').waitFor();
    const posts = await Promise.all([up, later].map((id) => stage.world.rest(`GET /posts/${id}`)));
    expect(posts.map(({ body }) => body.post.status)).toEqual(['deleted', 'sent']);
  });

  it('keeps the tags that others give posts meanwhile, also with undo', async () => {
    const [id] = await stage.write(['Shared tags'], { tags: ['spring', 'old'] });
    const { page } = await stage.visit('/posts?q=shared');
    await page.getByRole('article').waitFor();
    await pressLabel(page.getByRole('checkbox', { name: 'Select all loaded' }));
    await page.getByRole('button', { name: 'Tag 1' }).click();
    const tags = async () => (await stage.world.rest(`GET /posts/${id}`)).body.post.tags.toSorted();
    await page.getByLabel('Add tags').fill('sale');
    await pressLabel(page.getByRole('checkbox', { name: '#old, on 1 post' }));
    await stage.world.rest(`PUT /posts/${id}/tags`, { body: { tags: ['spring', 'old', 'by-agent'] } });

    await page.getByRole('button', { name: 'Change the tags' }).click();
    await page.getByText('1 of 1 post tagged.').waitFor();
    expect(await tags()).toEqual(['by-agent', 'sale', 'spring']);
    await stage.world.rest(`PUT /posts/${id}/tags`, { body: { tags: ['spring', 'sale', 'by-agent', 'by-other'] } });
    await page.getByRole('button', { name: 'Undo' }).click();

    await page.getByText('1 of 1 post given back the earlier tags.').waitFor();
    expect(await tags()).toEqual(['by-agent', 'by-other', 'old', 'spring']);
  });

  it('adds and removes tags on many, with a result for each and undo', async () => {
    const full = Array.from({ length: 10 }, (_, index) => `full-${index}`);
    const [first, second, third] = await stage.write(['Bulk tags 1', 'Bulk tags 2', 'Bulk tags 3'], {
      tags: ['spring'],
    });
    await stage.world.rest(`PUT /posts/${third}/tags`, { body: { tags: full } });
    const { page } = await stage.visit('/posts?q=bulk', { refusedAt: ['/owner/trpc/posts.setTags'] });
    await page.getByRole('article').nth(2).waitFor();
    await pressLabel(page.getByRole('checkbox', { name: 'Select all loaded' }));
    await page.getByRole('button', { name: 'Tag 3' }).click();
    await page.getByRole('dialog', { name: 'Tags of 3 posts' }).waitFor();
    await expectNoViolation(page, 'light', 'the dialog for tags');
    await page.getByLabel('Add tags').fill('Autumn, #sale');
    await pressLabel(page.getByRole('checkbox', { name: '#spring, on 2 posts' }));

    await page.getByRole('button', { name: 'Change the tags' }).click();

    await page.getByText('2 of 3 posts tagged.').waitFor();
    const results = page.getByRole('region', { name: 'Results' }).getByRole('listitem');
    await expect.poll(() => results.allTextContents()).toHaveLength(3);
    expect((await results.allTextContents()).map((text) => /^(Done|Not done) Bulk tags \d/.exec(text)?.[0])).toEqual([
      'Not done Bulk tags 3',
      expect.stringMatching(/^Done Bulk tags [12]$/),
      expect.stringMatching(/^Done Bulk tags [12]$/),
    ]);
    await expectNoViolation(page, 'dark', 'the results');
    const tagsOf = async () => {
      const posts = await Promise.all([first, second, third].map((id) => stage.world.rest(`GET /posts/${id}`)));
      return posts.map(({ body }) => body.post.tags);
    };
    expect(await tagsOf()).toEqual([['autumn', 'sale'], ['autumn', 'sale'], full]);
    await page.getByRole('article').filter({ hasText: 'Bulk tags 1' }).getByRole('link', { name: '#autumn' }).waitFor();

    await page.getByRole('button', { name: 'Undo' }).click();

    await page.getByText('2 of 2 posts given back the earlier tags.').waitFor();
    expect(await tagsOf()).toEqual([['spring'], ['spring'], full]);
  });

  it('waits and goes on when many actions reach the rate limit', async () => {
    const ids = await stage.write(['Limited 1', 'Limited 2'], { isDraft: true });
    const { page } = await stage.visit('/posts?q=limited', { refusedAt: ['/owner/trpc/posts.delete'] });
    await page.getByRole('article').nth(1).waitFor();
    let refusals = 0;
    await page.route('**/owner/trpc/posts.delete*', async (route) => {
      if (refusals > 0) return route.continue();
      refusals += 1;
      return route.fulfill({ status: 429, json: { error: 'rate_limited', message: 'Too many requests.' } });
    });

    await pressLabel(page.getByRole('checkbox', { name: 'Select all loaded' }));
    await page.getByRole('button', { name: 'Delete draft 2' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete draft' }).click();

    await page.getByText('2 of 2 posts deleted.').waitFor();
    const statuses = await Promise.all(ids.map(async (id) => (await stage.world.rest(`GET /posts/${id}`)).status));
    expect([refusals, statuses]).toEqual([1, [404, 404]]);
  });

  it('filters by a tag that is typed, or suggested while typing', async () => {
    await stage.write(['Two tags'], { tags: ['typed-one', 'typed-two'] });
    const { page } = await stage.visit('/posts');
    await page.getByRole('article').first().waitFor();

    await page.getByLabel('Tag', { exact: true }).fill('typed');
    await page.getByRole('button', { name: 'Add the tag typed-two' }).click();
    await page.getByLabel('Tag', { exact: true }).press('Enter');

    await expect.poll(() => new URL(page.url()).search).toBe('?tag=typed-two');
    await page.getByRole('article').filter({ hasText: 'Two tags' }).waitFor();
    expect(await page.getByRole('article').count()).toBe(1);
  });

  it('is read and used by keyboard alone', async () => {
    const { page } = await stage.visit('/posts');
    await page.getByRole('article').first().focus();

    const focused = () => page.evaluate('document.activeElement.dataset.index');
    await page.keyboard.press('j');
    await expect.poll(focused).toBe('1');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('k');
    await expect.poll(focused).toBe('0');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: /^Post to/ }).waitFor();
  });

  it('shows new posts and new states without a reload', async () => {
    const { page } = await stage.visit('/posts');
    await page.getByRole('article').first().waitFor();

    const [id] = await stage.write(['Comes unasked'], { scheduledFor: tomorrow() });
    const row = page.getByRole('article').filter({ hasText: 'Comes unasked' });
    await row.getByText('scheduled').waitFor();
    await stage.world.rest(`POST /posts/${id}/reschedule`, {
      body: { scheduledFor: new Date(stage.world.clock.now().getTime() + 120_000).toISOString() },
    });
    await stage.world.advance(180_000);

    await row.getByText('sent', { exact: true }).waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('one post', () => {
  it('shows its parts, its calls to the platform and its address', async () => {
    const [id] = await stage.write(['Head'], { thread: ['Reply one', HEBREW], tags: ['launch'] });
    const { page } = await stage.visit(`/posts/${id}`);

    await page.getByRole('region', { name: 'Text' }).getByText('Reply one').waitFor();
    await page.getByRole('region', { name: 'Calls to the platform' }).getByText('accepted').first().waitFor();
    await page.getByRole('region', { name: 'Metrics' }).waitFor();
    await page.getByRole('region', { name: 'Events' }).getByText('post.sent').waitFor();
    await expectGoodView(page);
  });

  it('changes its tags in any status, with undo, and shows tags that another client sets', async () => {
    const [id = ''] = await stage.write(['Tagged post'], { tags: ['one'] });
    const { page } = await stage.visit(`/posts/${id}`);
    const panel = page.getByRole('region', { name: 'Tags' });
    const tags = async () => (await stage.world.rest(`GET /posts/${id}`)).body.post.tags;

    await panel.getByLabel('Add tags, at most 10 in all').fill('two three');
    await page.keyboard.press('Enter');
    await panel.getByRole('button', { name: 'Remove the tag three' }).waitFor();
    expect(await tags()).toEqual(['one', 'two', 'three']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await panel.getByRole('button', { name: 'Remove the tag three' }).waitFor({ state: 'detached' });
    expect(await tags()).toEqual(['one']);
    await stage.world.rest(`PUT /posts/${id}/tags`, { body: { tags: ['by-agent'] } });

    await panel.getByRole('button', { name: 'Remove the tag by-agent' }).waitFor();
  });

  it('removes each of the tags that are pressed one after the other', async () => {
    const [id = ''] = await stage.write(['Two presses'], { tags: ['one', 'two', 'three'] });
    const { page } = await stage.visit(`/posts/${id}`);
    const panel = page.getByRole('region', { name: 'Tags' });
    let answer: (() => void) | undefined;
    const pressed = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/owner/trpc/posts.setTags*', async (route) => {
      await pressed;
      await route.continue();
    });

    await panel.getByRole('button', { name: 'Remove the tag one' }).click();
    await panel.getByRole('button', { name: 'Remove the tag two' }).click();
    answer?.();

    const tags = async () => (await stage.world.rest(`GET /posts/${id}`)).body.post.tags;
    await expect.poll(tags).toEqual(['three']);
    await panel.getByRole('button', { name: 'Remove the tag two' }).waitFor({ state: 'detached' });
    await expect.poll(() => page.getByText('The tags are changed.').count()).toBe(2);
    expect(await tags()).toEqual(['three']);
  });

  it('opens a draft in Compose, from the list and from its page', async () => {
    const [id] = await stage.write(['Continue me later'], { isDraft: true });
    const { page } = await stage.visit('/posts?q=continue');

    await page.getByRole('link', { name: 'Edit Continue me later' }).click();
    await page.getByText('The draft is here.').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Continue me later', exact: true }).click();
    await page.getByRole('link', { name: 'Edit in Compose' }).click();

    await page.getByRole('heading', { level: 1, name: 'Write a post' }).waitFor();
    expect((await stage.world.rest(`GET /posts/${id}`)).body.post.status).toBe('draft');
  });

  it('draws its metrics over time, with a table beside the picture', async () => {
    const [id] = await stage.write(['Counted']);
    for (let hour = 0; hour < 4; hour += 1) await stage.world.advance(3_700_000);
    const { page } = await stage.visit(`/posts/${id}`);

    await page.getByRole('region', { name: 'Metrics' }).locator('canvas').waitFor();
    await page.getByText('The values as a table').click();
    expect(await page.getByRole('row').count()).toBeGreaterThan(3);
    await expectGoodView(page);
  });

  it('is taken down after a question whose safe answer is the default', async () => {
    const [id] = await stage.write(['Take me down']);
    const { page } = await stage.visit(`/posts/${id}`);
    await page.getByRole('button', { name: 'Take down' }).click();
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Take down' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Take down' }).click();

    await page.getByText('deleted', { exact: true }).waitFor();
    await page.getByText('The post is taken down.').waitFor();
  });

  it('says in the words of the error table that it does not exist', async () => {
    const { page } = await stage.visit('/posts/01a202f3-8cd8-701b-b6cc-408cab47ea77', {
      refusedAt: ['/owner/trpc/posts.get'],
    });

    await page.getByRole('link', { name: 'not_found' }).waitFor();
  });
});
