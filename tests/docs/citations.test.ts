/** Citations in code, tests and pages resolve: rules of the contract by their anchors, and files by their paths. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tracked = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.js', '*.md'], { cwd: root, encoding: 'utf8' });
const files = tracked
  .trimEnd()
  .split('\n')
  .filter((path) => existsSync(root + path))
  .map((path) => ({ path, text: readFileSync(root + path, 'utf8') }));

/** The anchors of a page: its headings as GitHub writes them. */
function anchorsOf(page: string): Set<string> {
  const headings = [...readFileSync(root + page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Every match with the file it is in. */
function matches(pattern: RegExp): [where: string, match: string][] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(([match]): [string, string] => [path, match]),
  );
}

describe('citations of the contract', () => {
  const cited = matches(/docs\/contract\/[\w-]+\.md(?:#[\w-]+)?/g);

  it('name a page and a rule that exist', () => {
    const missing = cited.filter(([, citation]) => {
      const [page = '', anchor] = citation.split('#');
      return !existsSync(root + page) || (anchor !== undefined && !anchorsOf(page).has(anchor));
    });

    expect(cited.length).toBeGreaterThan(200);
    expect(missing).toEqual([]);
  });

  it('are complete: nothing cites a document outside this repository', () => {
    const foreign = matches(/\(spec: [A-Z]|\bspec\.md\b|\bdecisions\.md\b|\bD\d{1,2}\b(?=[,;)])/g);

    expect(foreign.filter(([path]) => path !== 'tests/docs/citations.test.ts')).toEqual([]);
  });
});

describe('paths that comments and pages name', () => {
  const FOLDERS =
    'bench|cli|client|console|docs|entities|errors|jobs|mcp|platforms|routers|scripts|server|services|tests';
  const path = new RegExp(`(?<![\\w./-])(?:${FOLDERS})/[\\w./-]+\\.(?:ts|tsx|js|md|css|svg|png)(?![\\w/])`, 'g');

  it('exist', () => {
    // Build output, and the made-up platform that docs/platforms/adding.md adds to a copy of the project.
    const isMade = (named: string) => /^client\/dist\/|\/chirp[./]/.test(named);
    const stale = matches(path).filter(
      ([where, named]) => !existsSync(root + named) && !isMade(named) && !isRelative(where, named),
    );

    expect(stale).toEqual([]);
  });
});

/** Pages also name files relative to themselves. */
function isRelative(where: string, named: string): boolean {
  return existsSync(`${root}${where.replace(/[^/]*$/, '')}${named}`);
}
