/** /owner: what a signed-in owner sees and changes there, and that it is limited to that owner. */
import { describe, expect, it } from 'vitest';
import { hashPassword } from '../../../services/people/argon2id.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { openBrowser } from '../../harness/browser.ts';
import { EMAIL, OWNER_ENV, PASSWORD, ownerLink, signedInBrowser } from '../../harness/owner.ts';
import { startWorld } from '../../harness/world.ts';

const NEW = 'six bells in the morning';

describe('the page', () => {
  it('requires a sign-in', async () => {
    await using world = await startWorld({ env: OWNER_ENV });

    const page = await openBrowser(world).get('/owner');

    expect([page.status, page.location]).toEqual([303, '/sign-in?next=%2Fowner']);
  });

  it('shows who is signed in, the available pages, and the browsers with their times', async () => {
    await using world = await startWorld({ env: OWNER_ENV });
    await signedInBrowser(world);
    world.clock.advance(60_000);
    const browser = openBrowser(world);
    const form = await browser.get('/sign-in');
    const csrf = /name="csrf" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
    const agent = `Mozilla/5.0 <Bells> ${'x'.repeat(300)}`;
    await browser.post('/sign-in', { csrf, email: EMAIL, password: PASSWORD }, { 'user-agent': agent });

    const { text } = await browser.get('/owner');

    expect(text).toContain('<a class="way" href="/">Console</a>');
    expect(text).toContain(`<p dir="auto">Mozilla/5.0 &lt;Bells&gt; ${'x'.repeat(180)}</p>`);
    const minute = world.clock.now().toISOString().slice(0, 16).replace('T', ' ');
    expect(text).toContain('This browser. Since');
    expect(text).toContain(`>${minute} UTC</time>`);
    expect(text.match(/<button type="submit">Sign out there<\/button>/g)).toHaveLength(1);
  });

  it('shows only our own messages, for any query in its address', async () => {
    await using world = await startWorld({ env: OWNER_ENV });
    const browser = await signedInBrowser(world);

    const said = await browser.get('/owner?done=password');
    const invented = await browser.get('/owner?done=__proto__&done=constructor');

    expect(said.text).toContain('<p role="status">Your password is changed.');
    expect(invented.text).not.toContain('role="status"');
  });
});

describe('changing the password', () => {
  it('signs every other browser out, and keeps this one', async () => {
    await using world = await startWorld({ env: OWNER_ENV });
    const other = await signedInBrowser(world);
    const browser = await signedInBrowser(world);

    const typed = { 'Current password': PASSWORD, 'New password': NEW };
    const answer = await browser.press(await browser.get('/owner'), 'Change password', typed);

    expect([answer.status, answer.location]).toEqual([303, '/owner?done=password']);
    expect((await browser.get('/owner')).status).toBe(200);
    expect((await other.get('/owner')).status).toBe(303);
    await signedInBrowser(world, NEW);
    const old = openBrowser(world);
    const refused = await old.press(await old.get('/sign-in'), 'Sign in', { Email: EMAIL, Password: PASSWORD });
    expect(refused.status).toBe(401);
  });

  it.each([
    ['the current one is wrong', 'wrong', NEW, 401, 'The current password is wrong. Nothing was changed.'],
    [
      'the new one is short',
      PASSWORD,
      'short',
      400,
      'The new password must have at least 12 characters; this one has 5.',
    ],
  ])('changes nothing when %s', async (_case, current, wanted, status, problem) => {
    await using world = await startWorld({ env: OWNER_ENV });
    const other = await signedInBrowser(world);
    const browser = await signedInBrowser(world);

    const typed = { 'Current password': current, 'New password': wanted };
    const answer = await browser.press(await browser.get('/owner'), 'Change password', typed);

    expect(answer.status).toBe(status);
    expect(answer.text).toContain(problem);
    expect((await other.get('/owner')).status).toBe(200);
    await signedInBrowser(world);
  });
});

describe('a hash with an outdated cost', () => {
  it('still verifies, and the sign-in rehashes it', async () => {
    await using world = await startWorld({ env: OWNER_ENV });
    await world.sql('update owners set password_hash = $1', [await weakHash(PASSWORD)]);

    await signedInBrowser(world);

    const [owner] = await world.sql<{ password_hash: string }>('select password_hash from owners');
    expect(owner?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    await signedInBrowser(world);
  });
});

describe('signing another browser out', () => {
  it('ends only that session', async () => {
    await using world = await startWorld({ env: OWNER_ENV });
    const other = await signedInBrowser(world);
    const browser = await signedInBrowser(world);

    const answer = await browser.press(await browser.get('/owner'), 'Sign out there');

    expect([answer.status, answer.location]).toEqual([303, '/owner?done=signed-out']);
    expect([(await other.get('/owner')).status, (await browser.get('/owner')).status]).toEqual([303, 200]);
  });

  it('does not affect another owner', async () => {
    await using world = await startWorld({ env: OWNER_ENV });
    const account = await makeAccount(world);
    const stranger = openBrowser(world);
    const form = await stranger.get(await ownerLink(world, account.id));
    await stranger.press(form, 'Set up', { Email: 'other@bells.example', Password: NEW });
    const [theirs] = await world.sql<{ id: string }>('select id from sign_ins');
    const browser = await signedInBrowser(world);
    const page = await browser.get('/owner');
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';

    await browser.post('/owner/sign-ins/end', { csrf, signInId: theirs?.id ?? '' });

    expect(page.text).not.toContain('other@bells.example');
    expect((await stranger.get('/owner')).status).toBe(200);
  });
});

/** The hash that an install with a lower cost would have stored. */
function weakHash(password: string): Promise<string> {
  return hashPassword(password, (length) => Buffer.alloc(length, 7), { memory: 8_192, passes: 1, parallelism: 1 });
}
