/** Renders the Markdown of the documentation. Only files of this repository pass through it. */
import { join } from 'node:path/posix';
import { Marked, type Tokens } from 'marked';
import { escapeHtml, Html } from '../html.ts';
import type { DocLibrary, DocPage } from './doc-pages.ts';

/** The anchor of a heading, as code hosts make it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** Pages link to each other by the paths of their files; a link to a file that is not served becomes plain text. */
export function renderMarkdown(page: DocPage, library: DocLibrary): Html {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const anchor = escapeHtml(anchorOf(text));
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchor}" tabindex="-1"><a href="#${anchor}">${inner}</a></h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        const target = targetOf(href, page, library);
        return target === null ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        return `<img src="${escapeHtml(imageUrl(href, page))}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      // Pictures for both color schemes.
      html({ text }: Tokens.HTML | Tokens.Tag) {
        return text.replaceAll(
          /\b(src|srcset)="([^"]+)"/g,
          (_, name: string, source: string) => `${name}="${escapeHtml(imageUrl(source, page))}"`,
        );
      },
      code({ text, lang }: Tokens.Code) {
        // A wide block is scrolled by keyboard too.
        return `<pre tabindex="0" data-language="${escapeHtml(lang ?? '')}"><code>${escapeHtml(text)}</code></pre>\n`;
      },
      table(token: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="table" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  return new Html(marked.parse(page.markdown, { async: false }));
}

/** Where a link leads on this site; null when its file is not served. */
function targetOf(href: string, { file }: DocPage, { byFile }: DocLibrary): string | null {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#', 2);
  const page = byFile.get(join(file, '..', path).replace(/\/$/, '/README.md'));
  if (page === undefined) return null;
  return anchor === undefined ? page.url : `${page.url}#${anchor}`;
}

function imageUrl(href: string, { file }: DocPage): string {
  return /^https?:/.test(href) ? href : `/${join(file, '..', href)}`;
}
