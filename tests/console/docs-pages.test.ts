/** The documentation below /docs: what README.md and docs/ say, as pages, as Markdown, and searched. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { readDocLibrary, type DocLibrary } from '../../console/docs/doc-pages.ts';
import { PUBLIC_URL, startWorld, type World } from '../harness/world.ts';

let world: World;
let library: DocLibrary;

beforeAll(async () => {
  [world, library] = await Promise.all([startWorld(), readDocLibrary()]);
});

async function get(path: string, accept = 'text/html') {
  const response = await fetch(new URL(path, world.url), { headers: { accept } });
  return { response, text: await response.text() };
}

const decoded = (markup: string) =>
  markup.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');

/** The addresses and anchors in a page. */
const hrefsOf = (text: string) => [...text.matchAll(/ href="([^"]+)"/g)].map(([, href = '']) => decoded(href));
const idsOf = (text: string) => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => decoded(id));

describe('the documentation', () => {
  it('serves each file, with its title, and without scripts', async () => {
    expect(library.byFile.size).toBeGreaterThan(100);
    for (const page of library.byFile.values()) {
      const { response, text } = await get(page.url);
      expect([page.url, response.status, response.headers.get('content-type')]).toEqual([
        page.url,
        200,
        'text/html; charset=utf-8',
      ]);
      expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'(?!.*script-src)/);
      expect(text).not.toContain('<script');
      expect(text).toContain('<h1');
    }
  });

  it('leads each link within it to a page and a heading that exist', async () => {
    const served = new Map<string, string>();
    for (const { url } of library.byFile.values()) served.set(url, (await get(url)).text);
    const broken: string[] = [];
    for (const [from, text] of served) {
      for (const href of hrefsOf(text)) {
        if (!href.startsWith('/docs/') && !href.startsWith('#')) continue;
        const [path = '', anchor] = href.split('#', 2);
        const target = served.get((path === '' ? from : path).replace(/\.md$/, ''));
        const isKnown = ['/docs/errors', '/docs/guide'].includes(path);
        if (isKnown) continue;
        if (target === undefined || (anchor !== undefined && !idsOf(target).includes(anchor))) {
          broken.push(`${from}: ${href}`);
        }
      }
    }
    expect(broken).toEqual([]);
  });

  it.each(['/docs/guide/webhooks.md', '/docs/guide/webhooks'])(
    'gives agents the Markdown of a page: %s',
    async (path) => {
      const { response, text } = await get(path, 'text/markdown');

      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
      expect(text).toBe(readFileSync('docs/guide/webhooks.md', 'utf8'));
    },
  );

  it('lists each page for agents in /llms.txt, under the address of the install', async () => {
    const { response, text } = await get('/llms.txt');

    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(text).toMatch(/^# Carillon\n\n> /);
    const listed = library.groups.flatMap(({ pages }) => pages);
    expect([...text.matchAll(/^- \[(.+)\]\((\S+)\)$/gm)].map(([, title, url]) => [title, url])).toEqual(
      listed.map(({ title, url }) => [title, `${PUBLIC_URL}${url}.md`]),
    );
    expect(new Set(listed.map(({ url }) => url)).size).toBe(listed.length);
  });

  it('finds sections by words, by their beginnings, and by words with a mistake', async () => {
    for (const query of ['daylight saving', 'daylig savin', 'dayligth saving']) {
      const { text } = await get(`/docs/search?q=${encodeURIComponent(query)}`);
      expect([query, hrefsOf(text).filter((href) => href.startsWith('/docs/guide/scheduling#')).length > 0]).toEqual([
        query,
        true,
      ]);
    }
  });

  it('escapes what was searched for, and says that nothing was found', async () => {
    const { response, text } = await get(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`);

    expect(response.status).toBe(200);
    expect(text).not.toContain('<script');
    expect(text).toContain('<h1>Nothing found</h1>');
  });

  it('shows its pictures, and nothing else of the repository', async () => {
    const { text } = await get('/docs/guide/connect');
    const [picture = ''] = [...text.matchAll(/ src="(\/docs\/images\/[^"]+)"/g)].map(([, source]) => source ?? '');
    const image = await fetch(new URL(picture, world.url));
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);

    for (const path of ['/docs/images/../../package.json', '/docs/images/%2e%2e%2fpackage.json', '/docs/nothing']) {
      expect([path, (await get(path, 'text/markdown')).response.status]).toEqual([path, 404]);
    }
  });
});
