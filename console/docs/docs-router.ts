/**
 * The documentation below /docs: every page as HTML and as Markdown, contents, search, and /llms.txt for agents. Nothing of
 * it needs scripts.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { type Request, type Response, Router } from 'express';
import type { Context } from '../../services/context.ts';
import { type Html, html } from '../html.ts';
import { policy, sendPage } from '../page.ts';
import { setStaticHeaders } from '../static-headers.ts';
import { type DocLibrary, type DocPage, readDocLibrary, ROOT } from './doc-pages.ts';
import type { DocMatch } from './search-docs.ts';

/** Most characters of a search. */
const QUERY_LENGTH_MAX = 200;

/** Path of the contents, and of the navigation entry. */
const CONTENTS_PATH = '/docs/guide';

const DOCS_POLICY = policy({ 'style-src': "'self'", 'img-src': "'self'", 'form-action': "'self'" });

interface Docs {
  readonly library: DocLibrary;
  render(page: DocPage): Html;
  search(query: string): readonly DocMatch[];
}

export function docsRouter(context: Context): Router {
  const router = Router();
  let loaded: Promise<Docs> | undefined;
  // Most processes never serve them.
  const docs = () => (loaded ??= loadDocs());
  const images = new Set(
    globSync('docs/images/**/*.png', { cwd: ROOT }).map((file) => `/${file.replaceAll('\\', '/')}`),
  );

  router.get('/llms.txt', async (_request, response) => {
    sendMarkdown(response, llmsText((await docs()).library, context.config.publicUrl));
  });
  router.get(CONTENTS_PATH, async (_request, response) => {
    const { library } = await docs();
    sendDoc(context, response, {
      title: 'Documentation',
      description: 'Guides, platforms, operations and the contract of Carillon.',
      library,
      main: html`<h1>Documentation</h1>
        <p>
          The operations are in the <a href="/docs">API reference</a>, and error codes on
          <a href="/docs/errors">a page of their own</a>.
        </p>
        ${library.groups.map(
          ({ title, pages }) =>
            html`<h2>${title}</h2>
              <ul>
                ${pages.map((page) => html`<li><a href="${page.url}">${page.title}</a></li>`)}
              </ul>`,
        )}`,
    });
  });
  router.get('/docs/search', async (request, response) => {
    const { library, search } = await docs();
    const query = queryOf(request);
    sendDoc(context, response, {
      title: query === '' ? 'Search' : `Search: ${query}`,
      library,
      query,
      main: resultsOf(query, query === '' ? [] : search(query)),
    });
  });
  router.get('/docs/images/{*path}', (request, response, next) => {
    if (!images.has(request.path)) return next();
    setStaticHeaders(response, 'image/png');
    response.setHeader('cache-control', 'public, max-age=3600');
    response.sendFile(join(ROOT, request.path));
  });
  router.get('/docs/{*path}', async (request, response, next) => {
    const { library, render } = await docs();
    const path = request.path.replace(/\/$/, '');
    const page = library.byUrl.get(path.replace(/\.md$/, ''));
    if (page === undefined) return next();
    if (path.endsWith('.md') || request.accepts('text/html', 'text/markdown') === 'text/markdown')
      return sendMarkdown(response, page.markdown);
    sendDoc(context, response, {
      title: page.title,
      description: `${page.title}: documentation of Carillon.`,
      library,
      current: page,
      main: html`<article>${render(page)}</article>`,
    });
  });
  return router;
}

async function loadDocs(): Promise<Docs> {
  const [library, { renderMarkdown }, { createDocSearch }] = await Promise.all([
    readDocLibrary(),
    import('./render-markdown.ts'),
    import('./search-docs.ts'),
  ]);
  const rendered = new Map<DocPage, Html>();
  let search: Docs['search'] | undefined;
  return {
    library,
    render: (page) => {
      const known = rendered.get(page) ?? renderMarkdown(page, library);
      rendered.set(page, known);
      return known;
    },
    search: (query) => (search ??= createDocSearch(library))(query),
  };
}

interface Shown {
  readonly title: string;
  readonly description?: string;
  readonly library: DocLibrary;
  readonly current?: DocPage;
  readonly query?: string;
  readonly main: Html;
}

function sendDoc({ version }: Context, response: Response, shown: Shown): void {
  const { title, description, library, current, query = '', main } = shown;
  response.setHeader('vary', 'accept');
  sendPage(response, 200, DOCS_POLICY, {
    title: `${title} - Carillon`,
    ...(description === undefined ? {} : { description }),
    current: CONTENTS_PATH,
    layout: 'docs',
    version,
    head: html`<link
        rel="stylesheet"
        href="/assets/docs.css"
      />${current !== undefined && html`<link rel="alternate" type="text/markdown" href="${current.url}.md" />`}`,
    main: html`
      <form role="search" action="/docs/search">
        <label for="query">Search the documentation</label>
        <input id="query" name="q" type="search" maxlength="${QUERY_LENGTH_MAX}" value="${query}" />
        <button type="submit">Search</button>
      </form>
      <div class="columns">
        <nav aria-label="Documentation">
          ${library.groups.map(({ title: name, pages }) => {
            const isOpen = current !== undefined && pages.includes(current);
            return html`<details ${isOpen && html`open`}>
              <summary>${name}</summary>
              <ul>
                ${pages.map(
                  (page) =>
                    html`<li>
                      <a href="${page.url}" ${page === current && html`aria-current="page"`}>${page.title}</a>
                    </li>`,
                )}
              </ul>
            </details>`;
          })}
        </nav>
        <div class="text">${main}</div>
      </div>
    `,
  });
}

function sendMarkdown(response: Response, text: string): void {
  response.setHeader('cache-control', 'no-cache');
  response.type('text/markdown; charset=utf-8').send(text);
}

/** What was searched for; a repeated parameter counts once. */
function queryOf(request: Request): string {
  const { searchParams } = new URL(request.originalUrl, 'http://localhost');
  return (searchParams.get('q') ?? '').trim().slice(0, QUERY_LENGTH_MAX);
}

function resultsOf(query: string, matches: readonly DocMatch[]): Html {
  if (query === '')
    return html`<h1>Search</h1>
      <p>Type one word or several. A section that has all of them is found.</p>`;
  if (matches.length === 0) {
    return html`<h1>Nothing found</h1>
      <p>
        No section has all words of “${query}”. Search for fewer words, or look at
        <a href="${CONTENTS_PATH}">all pages</a>.
      </p>`;
  }
  return html`<h1>${matches.length} ${matches.length === 1 ? 'section' : 'sections'} for “${query}”</h1>
    <ol class="results">
      ${matches.map(
        ({ url, page, heading, excerpt }) =>
          html`<li>
            <a href="${url}">${heading}</a>
            ${page !== heading && html`<span class="of">${page}</span>`}
            <p>${excerpt}</p>
          </li>`,
      )}
    </ol>`;
}

/** The index that agents look for (https://llmstxt.org): each page as Markdown, and the machine-readable descriptions. */
function llmsText({ groups }: DocLibrary, publicUrl: string): string {
  const lists = groups.map(({ title, pages }) => {
    const links = pages.map((page) => `- [${page.title}](${publicUrl}${page.url}.md)`);
    return `## ${title}\n\n${links.join('\n')}\n`;
  });
  return [
    '# Carillon\n',
    '> A self-hosted service that publishes posts to many platforms at once, on time and exactly once, over REST, MCP and tRPC.\n',
    `Every page is Markdown at its address with \`.md\`. The API is described by [OpenAPI 3.1](${publicUrl}/api/v2/openapi.json). Agents connect to ${publicUrl}/mcp.\n`,
    ...lists,
  ].join('\n');
}
