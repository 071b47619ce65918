/** An owner who signs in, as named in the environment of a world. */
import { expect } from 'vitest';
import { type Browser, openBrowser } from './browser.ts';
import type { World } from './world.ts';

export const EMAIL = 'owner@bells.example';
export const PASSWORD = 'four bells at midnight';
export const OPERATOR = 'operator-token-of-at-least-32-characters';

/** Environment of a world whose first account has an owner. */
export const OWNER_ENV = { OWNER_EMAIL: EMAIL, OWNER_PASSWORD: PASSWORD, OPERATOR_TOKEN: OPERATOR };

/** A browser in which the owner is signed in. */
export async function signedInBrowser(world: Pick<World, 'url'>, password = PASSWORD): Promise<Browser> {
  const browser = openBrowser(world);
  const { status } = await browser.press(await browser.get('/sign-in'), 'Sign in', {
    Email: EMAIL,
    Password: password,
  });
  expect(status).toBe(303);
  return browser;
}

/** The path of a link that the operator created. */
export async function ownerLink(world: World, accountId: string): Promise<string> {
  const response = await fetch(`${world.url}/operator/accounts/${accountId}/owner-link`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR}` },
  });
  expect(response.status).toBe(200);
  return new URL(((await response.json()) as { url: string }).url).pathname;
}
