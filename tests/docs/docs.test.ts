/** The documentation matches the code: links resolve, and the settings and names exist. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { ATTEMPT_STEPS } from '../../entities/attempt.ts';
import { RESCHEDULE_REASONS } from '../../entities/post.ts';
import { ERROR_CODES, ERRORS } from '../../errors/codes.ts';
import { createRegistry, PLATFORM_IDS, TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Timeline } from '../../platforms/timeline.ts';
import { operations } from '../../routers/operations.ts';
import { TOOLSETS } from '../../routers/toolsets.ts';

interface Page {
  /** Path from the root. */
  readonly path: string;
  readonly text: string;
  /** The text without its code blocks. */
  readonly prose: string;
}

const platformPages = PLATFORM_IDS.map((id) => `docs/platforms/${id}.md`);
const pages: readonly Page[] = globSync(['*.md', 'docs/**/*.md']).toSorted().map(readPage);

function readPage(file: string): Page {
  const text = readFileSync(file, 'utf8');
  return { path: file.replaceAll(path.sep, '/'), text, prose: text.replaceAll(/^ *```[^]*?^ *```$/gm, '') };
}

function page(name: string): Page {
  const found = pages.find((candidate) => candidate.path === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

/** Every match of a pattern's first group in a text. */
function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, group]) => group ?? '');
}

/** The anchors of a page's headings, as code hosts generate them. */
function anchorsOf({ prose }: Page): string[] {
  return found(prose, /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('links', () => {
  const relative = pages.flatMap((from) =>
    found(from.prose, /\]\(([^)\s]+)\)/g)
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => {
        const [file = '', anchor] = target.split('#', 2);
        const to = file === '' ? from.path : path.posix.join(path.posix.dirname(from.path), file);
        return { from: from.path, target, to, anchor };
      }),
  );

  it('lead to files of this repository', () => {
    expect(relative.length).toBeGreaterThan(20);
    expect(relative.filter(({ to }) => to.startsWith('..') || !existsSync(to))).toEqual([]);
  });

  it('with an anchor lead to a heading', () => {
    const lost = relative.filter(({ to, anchor }) => anchor !== undefined && !anchorsOf(page(to)).includes(anchor));

    expect(lost).toEqual([]);
  });

  it('lead from README.md to every page of the guide and of the platforms', () => {
    const linked = relative.filter(({ from }) => from === 'README.md').map(({ to }) => to);
    const wanted = [...globSync('docs/*.md'), ...globSync('docs/guide/*.md'), ...platformPages];

    expect(wanted.filter((file) => !linked.includes(file))).toEqual([]);
  });

  it('lead from the index of platforms to a page for each platform', () => {
    const index = found(page('docs/platforms/README.md').prose, /^\| \[[^\]]+\]\(([\w-]+)\.md\)/gm);

    expect(index.toSorted()).toEqual(PLATFORM_IDS.toSorted());
  });
});

describe('the table of tools in the guide for agents', () => {
  it('has every toolset with its tools, in the order in which they are listed', () => {
    const documented = [
      ...page('docs/guide/agents.md').prose.matchAll(/^\| (\w+) \| (`[a-z_]+`(?:, `[a-z_]+`)*) \|$/gm),
    ];
    const declared = Object.keys(TOOLSETS).map((toolset) => [
      toolset,
      operations
        .flatMap(({ meta }) => ('name' in meta.tool && meta.tool.toolset === toolset ? [`\`${meta.tool.name}\``] : []))
        .join(', '),
    ]);

    expect(documented.map(([, toolset, tools]) => [toolset, tools])).toEqual(declared);
  });
});

describe('names in the documentation', () => {
  it('of npm scripts are those of package.json', () => {
    const scripts = new Set(Object.keys(packageJson.scripts));
    const named = pages.flatMap(({ text }) => [
      ...found(text, /\bnpm run ([\w:-]+)/g),
      ...found(text, /\bnpm (start|test)\b/g),
    ]);

    expect(named).toContain('test:crash');
    expect(named.filter((name) => !scripts.has(name))).toEqual([]);
  });

  it('in snake_case are error codes, or tools, fields, tables and metrics that exist', () => {
    const tools = operations.flatMap(({ meta }) => ('none' in meta.tool ? [] : [meta.tool.name]));
    const fields = operations.flatMap(({ input }) => Object.keys(input.shape));
    const elsewhere = [
      'entities/migrations',
      'mcp/prompts',
      'server/oauth',
      'server/instruments.ts',
      'server/telemetry',
      'server/telemetry-settings.ts',
    ]
      .flatMap((place) => (place.endsWith('.ts') ? [place] : globSync(`${place}/*.ts`)))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const known = new Set<string>([
      ...ERROR_CODES,
      ...ATTEMPT_STEPS,
      ...RESCHEDULE_REASONS,
      ...tools,
      ...fields,
      ...found(elsewhere, /\b([a-z]+(?:_[a-z]+)+)\b/g),
      'node_modules',
      'pg_dump',
      // Settings and views of PostgreSQL, its URLs and PgBouncer.
      'pg_prepared_statements',
      'pg_stat_activity',
      'plan_cache_mode',
      'synchronous_standby_names',
      'target_session_attrs',
      'default_pool_size',
      'req_id',
    ]);
    const named = pages.flatMap(({ path: file, prose }) =>
      found(prose, /`(?:\w+\.)?([a-z]+(?:_[a-z]+)+)`/g).map((name) => ({ file, name })),
    );

    expect(named.some(({ name }) => name === 'outcome_unknown')).toBe(true);
    expect(named.filter(({ name }) => !known.has(name))).toEqual([]);
  });

  it('of errors of failed posts are codes of the error table', () => {
    const cells = found(page('docs/platforms/sandbox.md').prose, /`failed`, `(\w+)`/g);

    expect(cells.length).toBeGreaterThan(3);
    expect(cells.filter((code) => !Object.hasOwn(ERRORS, code))).toEqual([]);
  });

  it('of log lines are exactly those that the code writes', () => {
    const code = globSync('{server,services,jobs,routers,mcp,console}/**/*.ts')
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const literal = found(code, /\blog\.(?:info|warn|error)\(\s*(?:[^;']*?,\s+)?'([^']+)',?\s*\)/g);
    const named = found(code, /\blog\.(?:info|warn|error)\(\s*[^;']*?,\s+([A-Z_]+),?\s*\)/g);
    const written = [...literal, ...named.flatMap((name) => found(code, new RegExp(`const ${name} = '([^']+)'`, 'g')))];
    const table = /^## Log lines$(.*?)^## /ms.exec(page('docs/operations.md').text)?.[1] ?? '';
    const documented = found(table, /^\| (`[^|]+`) \|/gm).flatMap((cell) => found(cell, /`([^`]+)`/g));

    expect(documented.filter((line) => line !== 'msg').toSorted()).toEqual([...new Set(written)].toSorted());
  });
});

describe('files that people look for', () => {
  it('README.md stays short: details belong in docs/', () => {
    expect(page('README.md').text.trimEnd().split('\n').length).toBeLessThanOrEqual(250);
  });

  it('README.md shows the console', () => {
    const [picture = ''] = found(page('README.md').prose, /^!\[[^\]]+\]\(([^)]+)\)$/gm);

    expect(picture).toBe('docs/images/console/today.png');
    expect(existsSync(picture)).toBe(true);
  });

  it('README.md names the one command that runs the tests', () => {
    expect(page('README.md').text).toContain('\n```sh\nnpm test\n```\n');
  });

  it('CHANGELOG.md has a section for unreleased changes', () => {
    expect(page('CHANGELOG.md').text).toMatch(/^## \[Unreleased\]$/m);
  });

  it('AGENTS.md stays short enough to read every time', () => {
    expect(page('AGENTS.md').text.trimEnd().split('\n').length).toBeLessThanOrEqual(80);
  });

  it('LICENSE matches package.json', () => {
    expect(readFileSync('LICENSE', 'utf8')).toMatch(new RegExp(`^${packageJson.license} License`));
  });
});

describe('threads', () => {
  const registry = createRegistry({} as Timeline);
  const taking = (onRefusal: 'take_down' | 'keep') =>
    PLATFORM_IDS.filter((id) => id !== TEST_PLATFORM && registry[id].thread?.onRefusal === onRefusal).map(
      (id) => registry[id].name,
    );

  it.each(['take_down', 'keep'] as const)('name each platform that does this with a refused thread: %s', (what) => {
    const words = what === 'take_down' ? 'are deleted' : 'stays up';
    const [, ofGuide = ''] =
      new RegExp(`^\\| ([^|]+) \\| [^|]*${words}`, 'm').exec(
        page('docs/guide/sends.md').text.split('## Threads')[1] ?? '',
      ) ?? [];
    const names = (list: string) =>
      list
        .split(/, | and /)
        .map((name) => name.trim())
        .toSorted();

    expect(names(ofGuide)).toEqual(taking(what).toSorted());
  });
});
