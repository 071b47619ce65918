/** Calls operations as the console of a signed-in person does. */
import type { Browser } from './browser.ts';
import { signedInBrowser } from './owner.ts';
import { PUBLIC_URL, type World } from './world.ts';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // eslint-disable-next-line typescript/no-explicit-any -- the tests assert the fields that they read
  readonly body: any;
}

/** @returns calls an operation by its name, such as `people.listSignIns`; `body` is its data, or its error body */
export async function consoleCalls(
  world: World,
  browser?: Browser,
): Promise<(operation: string, input?: object) => Promise<Answer>> {
  const headers = await consoleHeaders(browser ?? (await signedInBrowser(world)));
  return async (operation, input = {}) => {
    const request = { method: 'POST', headers, body: JSON.stringify(input) };
    const response = await fetch(`${world.url}/owner/trpc/${operation}`, request);
    // eslint-disable-next-line typescript/no-explicit-any -- as above
    const answer = (await response.json()) as any;
    return {
      status: response.status,
      headers: response.headers,
      body: answer.result?.data ?? answer.error?.data?.error,
    };
  };
}

/** The headers of a call from a page that this browser has open. */
export async function consoleHeaders(person: Browser): Promise<Record<string, string>> {
  const { text } = await person.get('/');
  const csrf = /<meta name="carillon-csrf" content="([^"]+)"/.exec(text)?.[1] ?? '';
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return {
    'content-type': 'application/json',
    'x-carillon-csrf': csrf,
    'sec-fetch-site': 'same-origin',
    origin: PUBLIC_URL,
    cookie,
  };
}
