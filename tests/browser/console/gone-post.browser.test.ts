/** The page of a draft that is deleted while it is shown. */
import { describe, expect, it } from 'vitest';
import { HAS_BROWSER, useConsole } from './console-stage.ts';

const stage = useConsole();

// The page reads a deleted draft again to learn that it is gone.
const refusedAt = ['/owner/trpc/posts.get', '/owner/trpc/posts.get,posts.attempts'];

describe.skipIf(!HAS_BROWSER)('the page of a draft', () => {
  it('says that the draft is gone when it was deleted elsewhere, and offers nothing to do with it', async () => {
    const [id] = await stage.write(['Deleted elsewhere'], { isDraft: true });
    const { page } = await stage.visit(`/posts/${id}`, { refusedAt });
    await page.getByRole('button', { name: 'Publish now' }).waitFor();

    await stage.world.rest(`DELETE /posts/${id}`);

    await page.getByText('This draft is gone').waitFor();
    expect(await page.getByRole('button', { name: 'Publish now' }).count()).toBe(0);
  });

  it('says so when it was deleted here', async () => {
    const [id] = await stage.write(['Deleted here'], { isDraft: true });
    const { page } = await stage.visit(`/posts/${id}`, { refusedAt });

    await page.getByRole('button', { name: 'Delete draft' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete draft' }).click();

    await page.getByText('This draft is gone').waitFor();
    await page.getByText('The post is deleted.').waitFor();
  });

  it('says so when Compose has replaced the draft', async () => {
    const [id] = await stage.write(['Replaced'], { isDraft: true });
    const { page } = await stage.visit(`/posts/${id}`, { refusedAt });
    await page.getByRole('button', { name: 'Publish now' }).waitFor();

    await stage.write(['Better'], { isDraft: true, replaces: [id] });

    await page.getByText('This draft is gone').waitFor();
  });
});
