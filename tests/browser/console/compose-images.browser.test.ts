/** Compose in a real browser: images with alt text, in order, for a person and for a key. */
import { afterAll, describe, expect, it } from 'vitest';
import { storeDiscord } from '../../harness/connections.ts';
import { noise, plain } from '../../harness/images.ts';
import { START } from '../../harness/test-clock.ts';
import { DESCRIBED, startFakeModel } from '../../platforms/fakes/fake-model.ts';
import { choose, resultsOf, textOf } from './compose-page.ts';
import { pressLabel } from '../press-label.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const model = await startFakeModel({ now: () => START });
afterAll(() => model[Symbol.asyncDispose]());
// The clock of the install stands still, so its rate limit is never free again.
const stage = useConsole({
  env: { AI_BASE_URL: model.baseUrl, AI_MODEL: 'bell-1', AI_SEES_IMAGES: 'true', RATE_LIMIT_PER_MINUTE: '10000' },
});

const PNG = 'image/png';

/** The alt texts of the images of each post that has gone out with a word. */
async function sentWith(word: string): Promise<string[][]> {
  const { posts } = (await stage.world.rest(`GET /posts?q=${word}&status=sent`)).body;
  const whole = posts.map(async ({ id }: { id: string }) => (await stage.world.rest(`GET /posts/${id}`)).body.post);
  return (await Promise.all(whole)).map(({ media }) => media.map(({ altText }: { altText: string }) => altText));
}

describe.skipIf(!HAS_BROWSER)('Images of Compose', () => {
  it('are uploaded by file and paste, get alt text and an order, and are kept when the tab closes', async () => {
    const [account] = await stage.world.sql<{ id: string }>('select id from accounts');
    const { id } = await storeDiscord(stage.world, account?.id ?? '', 'photos');
    await stage.world.sql(`update connections set platform_id = 'instagram' where id = $1`, [id]);
    const { page } = await stage.visit('/compose');
    await textOf(page).fill('With images');
    await choose(page, 'sandbox', 'photos');
    const large = await noise(1_500, 1_500).png({ compressionLevel: 0 }).toBuffer();
    await page.locator('input[type=file]').setInputFiles([
      { name: 'large.png', mimeType: PNG, buffer: large },
      { name: 'words.txt', mimeType: 'text/plain', buffer: Buffer.from('words') },
    ]);
    await page.getByLabel('Alt text of image 1').fill('The large one');
    const pasted = (await plain(40, 40, '#ff0000').png().toBuffer()).toString('base64');
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      const bytes = Uint8Array.from(atob('${pasted}'), (character) => character.charCodeAt(0));
      clipboardData.items.add(new File([bytes], 'pasted.png', { type: 'image/png' }));
      window.dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true }));
    })()`);
    await page.getByLabel('Alt text of image 2').fill('The pasted one');
    await page.getByText('This file is text/plain').waitFor();
    await page.getByRole('button', { name: 'Leave out words.txt' }).click();
    await page.getByRole('button', { name: 'Move image 2 up' }).press('Enter');
    await expect.poll(() => page.getByLabel('Alt text of image 1').inputValue()).toBe('The pasted one');
    await page.getByText('Instagram: converted to another type').first().waitFor();
    await page.reload();
    await page.getByRole('img', { name: 'The large one' }).first().waitFor();
    await pressLabel(page.getByRole('checkbox', { name: 'photos' }));

    await page.getByRole('button', { name: 'Publish' }).click();

    await resultsOf(page).getByText('1 of 1 accepted').waitFor();
    const { posts } = (await stage.world.rest('GET /posts?q=images&status=sent')).body;
    const { media } = (await stage.world.rest(`GET /posts/${posts[0].id}`)).body.post;
    expect(media.map(({ altText, width }: { altText: string; width: number }) => [altText, width])).toEqual([
      ['The pasted one', 40],
      ['The large one', 1_500],
    ]);
  });

  it('are not added when words of an office program are pasted, which come with a picture of them', async () => {
    const { page } = await stage.visit('/compose');
    const picture = (await plain(40, 40).png().toBuffer()).toString('base64');
    await choose(page, 'sandbox');
    await textOf(page).focus();
    const isLeftToField = (types: readonly string[]) =>
      page.evaluate<boolean>(`(() => {
        const clipboardData = new DataTransfer();
        for (const type of ${JSON.stringify(types)}) clipboardData.setData(type, 'Words');
        const bytes = Uint8Array.from(atob('${picture}'), (character) => character.charCodeAt(0));
        clipboardData.items.add(new File([bytes], 'image.png', { type: 'image/png' }));
        const paste = new ClipboardEvent('paste', { clipboardData, cancelable: true, bubbles: true });
        return document.activeElement.dispatchEvent(paste);
      })()`);

    expect(await isLeftToField(['text/plain', 'text/html'])).toBe(true);
    expect(await page.getByLabel('Alt text of image 1').count()).toBe(0);
    // An image that was copied in a browser comes with HTML, a copied file with its name.
    expect(await isLeftToField(['text/html'])).toBe(false);
    await page.getByLabel('Alt text of image 1').waitFor();
  });

  it('are removed, brought back by undo, and good in every scheme and size', async () => {
    const { page } = await stage.visit('/compose');
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'bell.png', mimeType: PNG, buffer: await plain(60, 40).png().toBuffer() }]);
    await page.getByLabel('Alt text of image 1').fill('A bell');

    await page.getByRole('button', { name: 'Remove image 1' }).click();
    await page.getByLabel('Alt text of image 1').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();

    expect(await page.getByLabel('Alt text of image 1').inputValue()).toBe('A bell');
    await expectGoodView(page);
  });

  it('get alt text that a model proposes only when a person uses it', async () => {
    const { page } = await stage.visit('/compose');
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'bell.png', mimeType: PNG, buffer: await plain(70, 50).png().toBuffer() }]);
    const field = page.getByRole('textbox', { name: 'Alt text of image 1' });
    const propose = page.getByRole('button', { name: 'Propose alt text for image 1' });
    await propose.click();
    const proposal = page.getByRole('region', { name: 'Proposed alt text of image 1' });
    await proposal.getByText(DESCRIBED).waitFor();
    expect(await field.inputValue()).toBe('');
    await expectGoodView(page);

    await proposal.getByRole('button', { name: 'Dismiss the proposed alt text of image 1' }).click();
    await proposal.waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('');
    await propose.click();
    await proposal.getByRole('button', { name: 'Use it as alt text of image 1' }).click();

    await expect.poll(() => field.inputValue()).toBe(DESCRIBED);
    await proposal.waitFor({ state: 'detached' });
  });

  it('keep their post, and no other one, from being sent when their upload failed', async () => {
    const { page } = await stage.visit('/compose', { refusedAt: ['/owner/trpc/media.upload'] });
    await page.route('**/owner/trpc/media.upload*', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
    const bell = { name: 'bell.png', mimeType: PNG, buffer: await plain(30, 20).png().toBuffer() };
    await textOf(page).fill('With a bell');
    await choose(page, 'sandbox');
    await page.locator('input[type=file]').setInputFiles([bell]);
    await page.getByRole('button', { name: 'Upload again' }).waitFor();

    await page.getByRole('button', { name: 'Publish' }).click();

    await page.getByText('bell.png was not uploaded. Upload it again, or leave it out.').waitFor();
    expect(await sentWith('bell')).toEqual([]);
    await page.getByRole('button', { name: 'Write another one' }).click();
    await textOf(page).fill('Without an image');
    await choose(page, 'sandbox');
    await page.getByRole('button', { name: 'Publish' }).click();
    await resultsOf(page).getByText('1 of 1 accepted').waitFor();
    await page.getByText('1 other unfinished text').click();
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('button', { name: 'Upload again' }).click();
    await page.getByLabel('Alt text of image 1').fill('A bell');
    await page.getByRole('button', { name: 'Publish' }).click();
    await expect.poll(() => sentWith('bell')).toEqual([['A bell']]);
  });

  it('are waited for also after another view was shown', async () => {
    const { page } = await stage.visit('/compose');
    const held = Promise.withResolvers<void>();
    await page.route('**/owner/trpc/media.upload*', (route) => held.promise.then(() => route.continue()));
    const bell = { name: 'bell.png', mimeType: PNG, buffer: await plain(30, 20).png().toBuffer() };
    await textOf(page).fill('Back with a gong');
    await choose(page, 'sandbox');
    await page.locator('input[type=file]').setInputFiles([bell]);
    await page.getByRole('link', { name: 'Queues', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Queues', exact: true }).waitFor();
    await page.goBack();

    await page.getByRole('button', { name: 'Publish' }).click();

    await page.getByText('An image is still being uploaded. Wait for it.').waitFor();
    expect(await sentWith('gong')).toEqual([]);
    held.resolve();
    await page.getByLabel('Alt text of image 1').fill('A gong');
    await page.getByRole('button', { name: 'Publish' }).click();
    await expect.poll(() => sentWith('gong')).toEqual([['A gong']]);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('show for the holder of a key too', async () => {
    const { page } = await stage.visit('/compose', { isSignedIn: false });
    await page.getByLabel('API key').fill(stage.world.liveKey);
    await page.getByRole('button', { name: 'Open the console' }).click();
    await textOf(page).waitFor();
    const buffer = await noise(900, 900).png({ compressionLevel: 0 }).toBuffer();

    await page.locator('input[type=file]').setInputFiles([{ name: 'large.png', mimeType: PNG, buffer }]);

    await page.getByLabel('Alt text of image 1').fill('Through a key');
    const image = page.getByRole('img', { name: 'Through a key' }).first();
    await image.waitFor();
    await expect
      .poll(() => page.evaluate<number>(`document.querySelector('img[alt="Through a key"]').naturalWidth`))
      .toBe(900);
  });
});
