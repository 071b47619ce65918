/** OWNER_EMAIL and OWNER_PASSWORD, set after a start without them has printed a link (docs/guide/owner.md#set-up). */
import { expect, it } from 'vitest';
import { startOwner } from '../../../services/people/start-owner.ts';
import { openBrowser } from '../../harness/browser.ts';
import { EMAIL, PASSWORD, signedInBrowser } from '../../harness/owner.ts';
import { startWorld, type World } from '../../harness/world.ts';

const TYPED = { Email: 'other@bells.example', Password: 'a password of somebody else' };

/** Starts again, with the owner in the environment. */
function restartWithOwner({ context }: World) {
  return startOwner({ ...context, config: { ...context.config, owner: { email: EMAIL, password: PASSWORD } } });
}

it('ends each link that an earlier start printed, also where its form is open', async () => {
  await using world = await startWorld();
  const links = [await startOwner(world.context), await startOwner(world.context)];
  const paths = links.map((link) => new URL(link?.url ?? '').pathname);
  const opened = await Promise.all(
    paths.map(async (path) => {
      const browser = openBrowser(world);
      return { path, browser, form: await browser.get(path) };
    }),
  );
  expect(opened.map(({ form }) => form.status)).toEqual([200, 200]);

  expect(await restartWithOwner(world)).toBeNull();

  for (const { path, browser, form } of opened) {
    expect((await browser.press(form, 'Set up', TYPED)).status).toBe(410);
    expect((await openBrowser(world).get(path)).status).toBe(410);
  }
  expect(await world.sql('select email, role from owners')).toEqual([{ email: EMAIL, role: 'owner' }]);
  expect((await (await signedInBrowser(world)).get('/owner')).text).toContain(EMAIL);
});
