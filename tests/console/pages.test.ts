/**
 * The pages as browsers get them: what they may load, that they load nothing from other sites, and what each one shows.
 */
import { describe, expect, it } from 'vitest';
import { escapeHtml } from '../../console/html.ts';
import { ERROR_CODES, ERRORS } from '../../errors/codes.ts';
import type { ErrorSpec } from '../../errors/error-spec.ts';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';

const world = await startWorld();

const STATIC =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const REFERENCE =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  `connect-src 'self' ${PUBLIC_URL}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The path of the page of a new sandbox post. */
async function permalink(): Promise<string> {
  const { body } = await world.rest('POST /posts', { body: { text: 'Ding', connectionSlugs: [world.sandboxSlug] } });
  return new URL(body.results[0].url).pathname;
}

const post = await permalink();
const timeline = post.slice(0, post.lastIndexOf('/'));
const PAGES: [path: string, csp: string][] = [
  ['/docs', REFERENCE],
  ['/docs/errors', STATIC],
  ['/status', STATIC],
  [timeline, STATIC],
  [post, STATIC],
];

async function read(path: string): Promise<{ response: Response; text: string }> {
  const response = await fetch(world.url + path);
  return { response, text: await response.text() };
}

describe.each(PAGES)('%s', (path, csp) => {
  it('is HTML that may load only what it needs', async () => {
    const { response } = await read(path);

    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': csp,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    });
  });

  it('has no inline script or style, and loads and links to nothing on other sites', async () => {
    const { text } = await read(path);

    expect(text.match(/<script(?![^>]* src="\/assets\/)[^>]*>|<style|\sstyle=|\son\w+=|javascript:/gi)).toBeNull();
    expect(text.match(/\s(?:src|href|srcset|action|formaction|poster)="(?!\/(?!\/)|#)[^"]*"/gi)).toBeNull();
  });

  it('loads only assets that exist, of the right type', async () => {
    const { text } = await read(path);
    const assets = [
      ...new Set([...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, asset]) => asset as string)),
    ];

    const types = await Promise.all(
      assets.map(async (asset) => [
        asset.slice(asset.lastIndexOf('.')),
        (await read(asset)).response.headers.get('content-type'),
      ]),
    );

    expect(assets.length).toBeGreaterThan(2);
    expect(Object.fromEntries(types)).toEqual({
      '.css': 'text/css; charset=utf-8',
      '.svg': 'image/svg+xml',
      ...(text.includes('<script') ? { '.js': 'text/javascript; charset=utf-8' } : {}),
    });
  });

  it('is accessible: language, title, one heading, main content and a skip link', async () => {
    const { text } = await read(path);

    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).toMatch(/<title>[^<]+<\/title>/);
    expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1" />');
    expect(text).toContain('<a class="skip" href="#content">');
    expect(text.match(/ id="content"/g)).toHaveLength(1);
    const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it('answers HEAD with headers alone', async () => {
    const response = await fetch(world.url + path, { method: 'HEAD' });

    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});

describe('the errors page', () => {
  it.each(ERROR_CODES)('explains %s at an anchor of that name', async (code) => {
    const spec: ErrorSpec = ERRORS[code];

    const { text } = await read('/docs/errors');
    const section = text.split('<section ').find((part) => part.includes(` id="${code}"`)) ?? '';

    expect(section).toContain(`HTTP ${spec.status}`);
    expect(section).toContain(escapeHtml(spec.message));
    expect(section).toContain(escapeHtml(spec.hint));
    expect(section.includes('Yes: the same request may succeed later.')).toBe(spec.retryable);
    expect(section.includes('says so. Otherwise do the above first.')).toBe(spec.retryableWhen !== undefined);
  });

  it('links to each code by a predictable address', async () => {
    const { text } = await read('/docs/errors');

    expect(text).toContain('href="#too%20many%20requests"');
    expect(ERROR_CODES.filter((code) => !text.includes(`href="#${encodeURIComponent(code)}"`))).toEqual([]);
  });

  it('is the address in the body of an error', async () => {
    const { body } = await world.rest('GET /connections', { key: null });

    const { pathname, hash } = new URL(body.docs);

    expect([pathname, hash]).toEqual(['/docs/errors', '#unauthorized']);
  });
});
