/** The pages of the documentation: the Markdown files of README.md and docs/, under the addresses at which they are served. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, '../..');

/** A Markdown file and where it is served. */
export interface DocPage {
  /** Path from the root of the repository, such as `docs/guide/webhooks.md`. */
  readonly file: string;
  /** Path of the rendered page, such as `/docs/guide/webhooks`. The Markdown itself is there with `.md` behind it. */
  readonly url: string;
  /** The first heading. */
  readonly title: string;
  readonly markdown: string;
}

/** A part of the contents. */
export interface DocGroup {
  readonly title: string;
  readonly pages: readonly DocPage[];
}

export interface DocLibrary {
  readonly groups: readonly DocGroup[];
  /** Every page, also those that the contents leave out, by the path of its file. */
  readonly byFile: ReadonlyMap<string, DocPage>;
  /** The same by the path of the page. */
  readonly byUrl: ReadonlyMap<string, DocPage>;
}

/** The contents: patterns of files, in order. A page belongs to the first pattern that names it. */
const CONTENTS: readonly (readonly [title: string, patterns: readonly string[]])[] = [
  ['Start', ['README.md']],
  ['Guides', ['docs/guide/*.md']],
  ['Platforms', ['docs/platforms/README.md', 'docs/platforms/*.md']],
  ['Run it', ['docs/configuration.md', 'docs/operations.md', 'docs/scale.md', 'docs/reliability.md', 'docs/perf*.md']],
  ['The contract', ['docs/contract/README.md', 'docs/contract/*.md']],
  ['Develop it', ['docs/architecture.md', 'docs/development.md', 'docs/glossary.md', 'docs/decisions/README.md']],
];

/** Reads all pages. */
export async function readDocLibrary(): Promise<DocLibrary> {
  const files = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })].map((file) => file.replaceAll('\\', '/'));
  const pages = await Promise.all(files.toSorted().map(readPage));
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const isListed = new Set<string>();
  const groups = CONTENTS.map(([title, patterns]) => ({
    title,
    pages: patterns
      .flatMap((pattern) => globSync(pattern, { cwd: ROOT }).toSorted())
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => !isListed.has(file) && isListed.add(file))
      .flatMap((file) => byFile.get(file) ?? []),
  }));
  return { groups, byFile, byUrl: new Map(pages.map((page) => [page.url, page])) };
}

async function readPage(file: string): Promise<DocPage> {
  const markdown = await readFile(join(ROOT, file), 'utf8');
  return { file, url: urlOf(file), title: /^# (.+)$/m.exec(markdown)?.[1] ?? file, markdown };
}

function urlOf(file: string): string {
  if (file === 'README.md') return '/docs/start';
  return `/${file.replace(/(?:\/README)?\.md$/, '')}`;
}
