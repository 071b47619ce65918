/** Media in a real browser. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noise, plain } from '../../harness/images.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

const stage = useConsole();

const upload = async (altText: string): Promise<string> => {
  const raw = await plain(60, 40).png().toBuffer();
  const headers = { 'content-type': 'image/png' };
  const answer = await stage.world.rest(`POST /media?altText=${encodeURIComponent(altText)}`, { raw, headers });
  return answer.body.media.id;
};

/** Drags a file from outside of the browser. */
async function drop(page: Page, bytes: Buffer): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-drop-'));
  // The browser reads the file when it is uploaded.
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'dropped.png');
  await writeFile(file, bytes);
  const { x = 0, y = 0 } = (await page.getByText('Drop images here').boundingBox()) ?? {};
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: x + 5, y: y + 5, data });
  }
  await page.getByText('dropped.png').waitFor();
}

describe.skipIf(!HAS_BROWSER)('Media', () => {
  it('teaches when there is no image', async () => {
    const { page } = await stage.visit('/media');

    await page.getByText('No images yet').waitFor();
    await page.getByText('0 KiB of 50 MiB used').waitFor();
    await expectGoodView(page);
  });

  it('uploads chosen, dropped and pasted images with alt text, and refuses what is too large or no image', async () => {
    const { page } = await stage.visit('/media');
    const large = await noise(1_800, 1_800).png({ compressionLevel: 0 }).toBuffer();
    await page.locator('input[type=file]').setInputFiles([
      { name: 'bell.png', mimeType: 'image/png', buffer: await plain(60, 40).png().toBuffer() },
      { name: 'large.png', mimeType: 'image/png', buffer: large },
    ]);
    const pasted = (await plain(40, 60, '#ff0000').png().toBuffer()).toString('base64');
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      const bytes = Uint8Array.from(atob('${pasted}'), (character) => character.charCodeAt(0));
      clipboardData.items.add(new File([bytes], 'pasted.png', { type: 'image/png' }));
      clipboardData.items.add(new File(['words'], 'words.txt', { type: 'text/plain' }));
      window.dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true }));
    })()`);
    await drop(page, await plain(50, 50, '#00ff00').png().toBuffer());
    const chosen = page.getByRole('list', { name: 'Chosen images' }).getByRole('listitem');
    await chosen.filter({ hasText: 'large.png' }).getByText('the service takes at most 8 MiB').waitFor();
    await chosen.filter({ hasText: 'words.txt' }).getByText('This file is text/plain').waitFor();
    await chosen
      .filter({ hasText: 'bell.png' })
      .getByLabel(/Alt text/)
      .fill('A bell');
    await expectGoodView(page);

    await page.getByRole('button', { name: 'Upload 3 images' }).press('Enter');

    await page.getByText('3 images are uploaded.').waitFor();
    await page.getByRole('img', { name: 'A bell' }).waitFor();
    await page.getByText('PNG, 40 × 60').waitFor();
    await page.getByText('PNG, 50 × 50').waitFor();
    await page.getByText('1 KiB of 50 MiB used').waitFor();
    expect(await chosen.count()).toBe(2);
  });

  it('is good in every scheme and size, and shows when unused images are freed', async () => {
    await upload('x'.repeat(300));
    await stage.write(['With an image'], { mediaIds: [await upload('Named by a post')] });
    const { page } = await stage.visit('/media');
    await page.getByText('Named by a post').waitFor();

    await page.getByRole('checkbox', { name: 'Only images that no post names' }).press(' ');

    await page.getByText('Named by a post').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?unused=yes');
    await page
      .getByText(/^Freed .* unless a post names it/)
      .first()
      .waitFor();
    await expectGoodView(page);
  });

  it('deletes after the time for undo, and says why an image stays', async () => {
    await upload('Goes');
    await upload('Comes back');
    await stage.write(['Draft'], { mediaIds: [await upload('Needed')], isDraft: true });
    const { page } = await stage.visit('/media', { refusedAt: ['/owner/trpc/media.delete'] });
    const image = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    await page.clock.resume();

    await image('Comes back').getByRole('button', { name: 'Delete the image: Comes back' }).press('Enter');
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await image('Comes back').waitFor();
    for (const name of ['Goes', 'Needed']) {
      await image(name)
        .getByRole('button', { name: /^Delete/ })
        .press('Enter');
      await image(name).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Close the message' }).first().press('Enter');
    }

    await page.getByRole('alert').getByText('post needs the image').waitFor();
    await image('Needed').waitFor();
    const { body } = await stage.world.rest('GET /media');
    const left = body.media.map(({ altText }: { altText: string | null }) => altText);
    expect(left).toContain('Comes back');
    expect(left).not.toContain('Goes');
  });

  it('says that an image stays when the view is left before the time for undo has passed', async () => {
    await stage.write(['Draft'], { mediaIds: [await upload('Kept by a draft')], isDraft: true });
    const { page } = await stage.visit('/media', { refusedAt: ['/owner/trpc/media.delete'] });
    await page.getByRole('button', { name: 'Delete the image: Kept by a draft' }).press('Enter');
    await page.getByText('The image is deleted.').waitFor();
    await page.getByRole('link', { name: 'Posts', exact: true }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Posts' }).waitFor();

    await page.getByRole('button', { name: 'Close the message' }).press('Enter');

    await page.getByText(/^The image was not deleted\. .*post needs the image/).waitFor();
  });

  it('shows without a reload what others upload, and reads more images at its end', async () => {
    const { page } = await stage.visit('/media');
    await page.getByText('Comes back').waitFor();

    await upload('Uploaded by an agent');
    await page.getByText('Uploaded by an agent').waitFor();
    for (let count = 0; count < 50; count += 1) await upload(`Number ${count}`);
    await page.reload();
    await page.getByText('Number 49').waitFor();
    await page.getByText('Number 3', { exact: true }).scrollIntoViewIfNeeded();
    await page.getByText('Comes back').scrollIntoViewIfNeeded();

    await page.getByRole('img', { name: 'Comes back' }).waitFor();
  });
});
