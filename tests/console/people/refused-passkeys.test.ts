/** A sign-in with a passkey that is refused leads back to the page that was asked for. */
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../../harness/browser.ts';
import { OWNER_ENV } from '../../harness/owner.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld({ env: { ...OWNER_ENV, PUBLIC_URL: 'http://localhost:3000' } });

/** Sends the form with an answer of no known passkey. */
async function refusedPasskey(next: string, { isTooOld }: { readonly isTooOld: boolean }) {
  const browser = openBrowser(world);
  const { text } = await browser.get('/sign-in');
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const answer = await browser.post('/sign-in/passkey', { csrf: isTooOld ? '' : csrf, answer: '{}', next });
  const back = /<a class="way" href="([^"]+)"/.exec(answer.text)?.[1] ?? '';
  return { status: answer.status, back, page: await browser.get(back) };
}

describe.each([
  ['of an unknown passkey', { isTooOld: false }, 401],
  ['from a page that is too old', { isTooOld: true }, 403],
])('the refusal %s', (_case, how, status) => {
  it('keeps the page that was asked for', async () => {
    const refused = await refusedPasskey('/oauth/interaction/a?b=%2F', how);

    expect([refused.status, refused.back]).toEqual([status, '/sign-in?next=%2Foauth%2Finteraction%2Fa%3Fb%3D%252F']);
    const [passwords, passkeys] = refused.page.text.split('action="/sign-in/passkey"');
    const field = '<input type="hidden" name="next" value="/oauth/interaction/a?b=%2F" />';
    expect(passwords).toContain(field);
    expect(passkeys).toContain(field);
  });

  it.each(['https://evil.example/', '//evil.example/', ''])('keeps no other address: %j', async (next) => {
    const refused = await refusedPasskey(next, how);

    expect([refused.status, refused.back]).toEqual([status, '/sign-in']);
  });
});
