/** The page of the console app and its files: which addresses it answers, what it may do, and how the files are cached. */
import { describe, expect, it } from 'vitest';
import { VIEW_PATHS } from '../../console/app/view-paths.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();

const get = (path: string, headers: Record<string, string> = {}) => fetch(world.url + path, { headers });

async function page(path = '/'): Promise<{ headers: Headers; text: string }> {
  const response = await get(path);
  return { headers: response.headers, text: await response.text() };
}

/** The files that the page names. */
async function files(): Promise<string[]> {
  return [...(await page()).text.matchAll(/(?:src|href)="(\/assets\/app\/[^"]+)"/g)].map(([, file]) => file as string);
}

describe('the page', () => {
  it.each(VIEW_PATHS)('is answered at %s, as HTML that no one caches', async (path) => {
    const { headers, text } = await page(path);

    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  it.each(['/posts/01a202f3-8cd8-701b-b6cc-408cab47ea77', '/posts?status=failed&q=a+b'])(
    'is answered at %s',
    async (path) => expect((await get(path)).status).toBe(200),
  );

  it('leads the old address of analytics to the new one, with its filters', async () => {
    const response = await fetch(`${world.url}/numbers?days=7&platform=x`, { redirect: 'manual' });

    expect(response.status).toBe(308);
    expect(response.headers.get('location')).toBe('/analytics?days=7&platform=x');
  });

  it.each(['/post', '/posts/a/b', '/x', '/posts.html', '/connections/a/b'])('is not answered at %s', async (path) => {
    const response = await get(path);

    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toContain('application/json');
  });

  it('runs our scripts only, lets only React Aria insert styles, and lets nothing write markup', async () => {
    const { headers, text } = await page();
    const nonce = /<meta property="csp-nonce" nonce="([\w-]{22})" \/>/.exec(text)?.[1];

    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' blob:; connect-src 'self'; ` +
        "require-trusted-types-for 'script'; trusted-types default; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect((await page()).text).not.toContain(nonce);
    expect(text.match(/<script(?![^>]* src="\/assets\/)[^>]*>|<style|\sstyle=|\son\w+=|javascript:/gi)).toBeNull();
    expect(text.match(/\s(?:src|href|srcset|action|formaction|poster)="(?!\/(?!\/)|#)[^"]*"/gi)).toBeNull();
  });

  it('says what to do without scripts', async () => {
    const { text } = await page('/posts');

    expect(text.slice(text.indexOf('<noscript>'))).toContain('href="/sign-in?next=%2Fposts"');
  });
});

describe('its files', () => {
  it('have a hash in their name, and are kept for ever', async () => {
    const named = await files();

    expect(named.length).toBeGreaterThan(2);
    for (const file of named) {
      expect(file).toMatch(/-[\w-]{8}\.(js|css)$/);
      const { status, headers } = await get(file);
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
      expect(headers.get('content-type')).toMatch(file.endsWith('.js') ? /^text\/javascript/ : /^text\/css/);
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    }
  });

  it('are the same bytes in each encoding', async () => {
    const [file = ''] = await files();

    const answers = await Promise.all(
      ['br', 'gzip', 'identity'].map((encoding) => get(file, { 'accept-encoding': encoding })),
    );

    expect(answers.map(({ headers }) => headers.get('content-encoding'))).toEqual(['br', 'gzip', null]);
    expect(answers.map(({ headers }) => headers.get('vary'))).toEqual(answers.map(() => 'accept-encoding'));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
  });
});
