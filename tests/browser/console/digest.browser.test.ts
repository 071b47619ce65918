/** The weekly digest in a real browser: its setting, and the link of the mail, which asks before it turns it off. */
import { describe, expect, it } from 'vitest';
import { consoleCalls } from '../../harness/console-calls.ts';
import { HAS_BROWSER, useConsole } from './console-stage.ts';
import { expectGoodView } from './view-checks.ts';

// No mail is sent here, so nothing needs to listen there.
const stage = useConsole({ env: { SMTP_URL: 'smtp://127.0.0.1:9', SMTP_FROM: 'posts@bells.example' } });

async function setting() {
  const call = await consoleCalls(stage.world);
  return (await call('people.getDigest')).body.digest;
}

const BOX = 'Mail me the weekly digest';

describe.skipIf(!HAS_BROWSER)('The weekly digest', () => {
  it('is turned off by the link of the mail only after a question, and on again with the box', async () => {
    const { page } = await stage.visit('/account?digest=off');
    const question = page.getByRole('alertdialog', { name: 'Turn the weekly digest off?' });
    await question.waitFor();
    expect((await setting()).isOn).toBe(true);

    await question.getByRole('button', { name: 'Keep it' }).click();
    await question.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
    await expectGoodView(page);
    expect((await setting()).isOn).toBe(true);

    await page.goto(`${stage.world.url}/account?digest=off`);
    await question.getByRole('button', { name: 'Turn it off' }).click();
    await page.getByText('The weekly digest is off.').waitFor();
    expect((await setting()).isOn).toBe(false);
    expect(await page.getByLabel(BOX).isChecked()).toBe(false);

    await page.reload();
    await page.getByText(BOX).click();
    await page.getByText('The weekly digest is on.').waitFor();
    expect((await setting()).isOn).toBe(true);
  });

  it('asks nothing when it is off already, nor when it is turned on then', async () => {
    const call = await consoleCalls(stage.world);
    await call('people.changeDigest', { isOn: false });
    const { page } = await stage.visit('/account?digest=off');
    const question = page.getByRole('alertdialog', { name: 'Turn the weekly digest off?' });

    await page.getByText(BOX).waitFor();

    expect(await question.count()).toBe(0);
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await page.getByText(BOX).click();
    await page.getByText('The weekly digest is on.').waitFor();
    await expect.poll(() => page.getByLabel(BOX).isChecked()).toBe(true);
    expect(await question.count()).toBe(0);
    expect((await setting()).isOn).toBe(true);
  });

  it('begins on Monday in the zone that is chosen', async () => {
    const call = await consoleCalls(stage.world);
    await call('people.changeDigest', { timezone: 'Asia/Tokyo' });
    const { page } = await stage.visit('/account');
    const panel = page.getByRole('region', { name: 'Weekly digest' });

    await panel.getByRole('button', { name: 'Asia/Tokyo' }).click();
    await page.getByRole('option', { name: /^UTC/ }).click();

    await page.getByText('The time zone of the digest is changed.').waitFor();
    expect(await setting()).toEqual({ isOn: true, timezone: 'UTC', nextAt: '2026-11-23T08:00:00.000Z' });
  });
});
