/** Compose in a real browser: what is sent, once, and the outcome. */
import { describe, expect, it } from 'vitest';
import { storeDiscord } from '../../harness/connections.ts';
import { choose, loseAnswers, resultsOf, textOf } from './compose-page.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

// The clock of the install stands still, so its rate limit is never free again.
const stage = useConsole({ env: { RATE_LIMIT_PER_MINUTE: '10000' } });

const postsWith = async (word: string) => (await stage.world.rest(`GET /posts?q=${word}`)).body.posts;

describe.skipIf(!HAS_BROWSER)('Compose', () => {
  it('publishes to the chosen connections and shows the result of each', async () => {
    await stage.connect(2);
    const { page } = await stage.visit('/compose');
    await textOf(page).fill('Rung from the console');
    await choose(page, 'bell-1', 'bell-2');
    await page.getByText('21 of 500').first().waitFor();

    await page.getByRole('button', { name: 'Publish' }).click();

    await resultsOf(page).getByText('2 of 2 accepted').waitFor();
    expect(await textOf(page).inputValue()).toBe('');
    await expectGoodView(page);
  });

  it('is written and sent with the keyboard alone', async () => {
    const { page } = await stage.visit('/compose');
    await textOf(page).focus();
    await page.keyboard.type('Typed');
    await page.getByRole('checkbox', { name: 'bell-1' }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('radio', { name: 'Now' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('radio', { name: 'At a time' }).and(page.locator(':checked')).waitFor();
    await page.keyboard.press('ArrowUp');
    await textOf(page).focus();

    await page.keyboard.press('Control+Enter');

    await resultsOf(page).getByText('1 of 1 accepted').waitFor();
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('?');
    await page.getByText('Send what is written').waitFor();
  });

  it('says what is missing, and keeps what is typed when the tab is closed', async () => {
    const { page } = await stage.visit('/compose');
    await textOf(page).fill('Not finished');
    await page.reload();
    await page.getByRole('button', { name: 'Publish' }).click();

    await page.getByRole('alert').getByText('No connection is chosen.').waitFor();
    expect(await textOf(page).inputValue()).toBe('Not finished');
  });

  it('says while typing that a text is too long for a connection', async () => {
    const { page } = await stage.visit('/compose');
    await choose(page, 'bell-1', 'bell-2');

    await textOf(page).fill('x'.repeat(6_000));

    await page.getByText('6,000 of 500').waitFor();
    const refusals = page.getByRole('region', { name: 'What does not fit' });
    await refusals.getByText('The text has 6000 characters; Sandbox takes at most 500.').waitFor();
    expect(await refusals.getByRole('listitem').count()).toBe(1);
    await refusals.getByText('bell-2, bell-1').waitFor();
  });

  it('posts once when the button is pressed twice', async () => {
    const { page } = await stage.visit('/compose');
    await textOf(page).fill('[[slow 4000]] Pressed twice');
    await choose(page, 'bell-1');

    await page.getByRole('button', { name: 'Publish' }).dblclick();

    await page.getByRole('region', { name: 'Progress' }).getByText('processing').waitFor();
    await resultsOf(page).getByText('1 of 1 accepted').waitFor();
    expect(await postsWith('twice')).toHaveLength(1);
  });

  it('posts once when the answer is lost, the page is offline, and the tab is closed before asking again', async () => {
    const { page } = await stage.visit('/compose', { refusedAt: ['/owner/trpc/posts.create'] });
    await textOf(page).fill('Only once');
    await choose(page, 'bell-1');
    const find = await loseAnswers(page);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('what has gone out is not sent twice').waitFor();
    await find();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByText('The service did not answer.').waitFor();
    await page.context().setOffline(false);
    await page.reload();
    await page.getByRole('button', { name: 'Ask again' }).waitFor();
    await expectGoodView(page);

    await page.getByRole('button', { name: 'Ask again' }).click();

    await resultsOf(page).getByText('1 of 1 accepted').waitFor();
    expect(await postsWith('once')).toHaveLength(1);
    expect(await textOf(page).inputValue()).toBe('');
  });

  it('leaves only what failed chosen, so that nothing goes out again', async () => {
    const [account] = await stage.world.sql<{ id: string }>('select id from accounts');
    await storeDiscord(stage.world, account?.id ?? '', 'channel');
    const { page } = await stage.visit('/compose');
    await textOf(page).fill('Partly');
    await page.getByRole('button', { name: 'Continue as a thread' }).click();
    await page.getByLabel('Reply 1', { exact: true }).fill('A reply');
    await choose(page, 'bell-1', 'channel');
    await page.getByText('Discord has no threads.').waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();

    await resultsOf(page).getByText('1 of 2 accepted, 1 failed').waitFor();
    await resultsOf(page).getByText('Only what failed is still chosen').waitFor();
    expect(await page.getByRole('checkbox', { name: 'channel' }).isChecked()).toBe(true);
    expect(await page.getByRole('checkbox', { name: 'bell-1' }).isChecked()).toBe(false);
    expect(await textOf(page).inputValue()).toBe('Partly');
    await expectGoodView(page);
  });

  it('takes connections, a text and a time from its address', async () => {
    const time = new Date(stage.world.clock.now().getTime() + 3_600_000).toISOString();
    const { page } = await stage.visit(`/compose?slug=bell-1&text=From%20a%20link&time=${time}`);

    await expect.poll(() => textOf(page).inputValue()).toBe('From a link');
    expect(await page.getByRole('checkbox', { name: 'bell-1' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Schedule' }).click();

    await resultsOf(page).getByText('1 of 1 accepted').waitFor();
    expect((await postsWith('link'))[0].scheduledFor).toBe(time.replace(/\d\d\.\d{3}Z$/, '00.000Z'));
    expect(new URL(page.url()).search).toBe('');
  });
});
