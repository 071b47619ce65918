/** Compose in a real browser: nothing that is written is lost, and nothing is kept twice. */
import { describe, expect, it } from 'vitest';
import { choose, loseAnswers, resultsOf, textOf } from './compose-page.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

// The clock of the install stands still, so its rate limit is never free again.
const stage = useConsole({ env: { RATE_LIMIT_PER_MINUTE: '10000' } });

const drafts = async (): Promise<{ id: string; text: string; connectionSlug: string }[]> =>
  (await stage.world.rest('GET /posts?status=draft')).body.posts;
const textsOf = async () => (await drafts()).map(({ text }) => text);

describe.skipIf(!HAS_BROWSER)('Drafts of Compose', () => {
  it('are saved on the service, each once however often the text changes, and give way to what is sent', async () => {
    await stage.connect(2);
    const { page } = await stage.visit('/compose');
    await textOf(page).fill('First words');
    await choose(page, 'bell-1', 'bell-2');
    await page.getByText('Saved as 2 drafts.').waitFor();
    await textOf(page).fill('Better words');
    await expect.poll(textsOf).toEqual(['Better words', 'Better words']);
    await page.getByText('Saved as 2 drafts.').waitFor();
    await expectGoodView(page);

    await page.getByRole('button', { name: 'Publish' }).click();

    await resultsOf(page).getByText('2 of 2 accepted').waitFor();
    expect(await drafts()).toEqual([]);
  });

  it('survive a closed tab, and a lost answer leaves no second one', async () => {
    const { page } = await stage.visit('/compose', { refusedAt: ['/owner/trpc/posts.create'] });
    const find = await loseAnswers(page);
    await textOf(page).fill('Closed at once');
    await choose(page, 'bell-1');
    await expect.poll(textsOf).toEqual(['Closed at once']);
    await find();
    await page.reload();
    expect(await textOf(page).inputValue()).toBe('Closed at once');

    await textOf(page).fill('Written on');

    await expect.poll(textsOf).toEqual(['Written on']);
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await textOf(page).inputValue()).toBe('');
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await textOf(page).inputValue()).toBe('Written on');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Close the message' }).last().click();
    await expect.poll(drafts).toEqual([]);
  });

  it('show in two tabs alike, so that neither overwrites the other unseen', async () => {
    const { page } = await stage.visit('/compose');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await textOf(page).fill('From the first tab');

    await expect.poll(() => textOf(other).inputValue()).toBe('From the first tab');
    await other.getByLabel('Tags').fill('second-tab');

    await expect.poll(() => page.getByLabel('Tags').inputValue()).toBe('second-tab');
    expect(await textOf(page).inputValue()).toBe('From the first tab');
    await other.close();
  });

  it('are continued by a link, and published under what they say, while other texts wait', async () => {
    const [id] = await stage.write(['Drafted by an agent'], { isDraft: true, tags: ['agents'] });
    const { page } = await stage.visit('/compose');
    await textOf(page).fill('Unfinished');
    await page.goto(`${new URL(page.url()).origin}/compose?draft=${id}`);
    await expect.poll(() => textOf(page).inputValue()).toBe('Drafted by an agent');
    expect(await page.getByLabel('Tags').inputValue()).toBe('agents');
    await page.getByRole('button', { name: 'Publish' }).click();
    await resultsOf(page).getByText('1 of 1 accepted').waitFor();
    expect(await drafts()).toEqual([]);

    await page.getByText('1 other unfinished text').click();
    await page.getByRole('button', { name: 'Continue', exact: true }).click();

    expect(await textOf(page).inputValue()).toBe('Unfinished');
  });

  it('of a connection that is disconnected meanwhile are not waited for, and the text goes out once', async () => {
    const [gone] = await stage.connect(1);
    const { page } = await stage.visit('/compose');
    await textOf(page).fill('For two');
    await choose(page, 'bell-1', 'bell-3');
    await page.getByText('2 connections', { exact: true }).waitFor();
    await page.getByText('Saved as 2 drafts.').waitFor();
    await stage.world.rest(`DELETE /connections/${gone?.id}`);
    await page.getByText('1 connection', { exact: true }).waitFor();
    await textOf(page).fill('For one');
    await expect.poll(textsOf).toEqual(['For one']);
    await page.getByText('Saved as a draft.').waitFor();
    await textOf(page).fill('For one only');
    await expect.poll(textsOf).toEqual(['For one only']);

    await page.getByRole('button', { name: 'Publish' }).click();

    await resultsOf(page).getByText('1 of 1 accepted').waitFor();
    expect(await textOf(page).inputValue()).toBe('');
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0);
    expect(await drafts()).toEqual([]);
  });

  it('say so when they were published elsewhere, and do not post the text again unasked', async () => {
    const { page } = await stage.visit('/compose', { refusedAt: ['/owner/trpc/posts.create'] });
    await textOf(page).fill('Taken away');
    await choose(page, 'bell-2');
    await page.getByText('Saved as a draft.').waitFor();
    const [draft] = await drafts();
    await stage.world.rest(`POST /posts/${draft?.id}/publish`, { body: {} });

    await page.getByRole('button', { name: 'Publish' }).click();

    await page.getByRole('alert').getByText('Nothing was posted.').waitFor();
    expect((await stage.world.rest('GET /posts?q=Taken&status=sent')).body.posts).toHaveLength(1);
    expect(await textOf(page).inputValue()).toBe('Taken away');
  });

  it('warn when they were deleted elsewhere, until the button is pressed again', async () => {
    const { page } = await stage.visit('/compose', {
      refusedAt: ['/owner/trpc/posts.create', '/owner/trpc/posts.get'],
    });
    await textOf(page).fill('Deleted elsewhere');
    await choose(page, 'bell-2');
    await page.getByText('Saved as a draft.').waitFor();
    const [draft] = await drafts();
    await stage.world.rest(`DELETE /posts/${draft?.id}`);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('alert').getByText('may have gone out from elsewhere').waitFor();
    await expectGoodView(page);

    await page.getByRole('button', { name: 'Publish' }).click();

    await resultsOf(page).getByText('1 of 1 accepted').waitFor();
    expect(await page.getByText('may have gone out from elsewhere').count()).toBe(0);
    expect(await drafts()).toEqual([]);
  });
});
