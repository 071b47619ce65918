/** The code in README.md, docs/guide and docs/platforms: it parses, and its requests are ones that the API accepts. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { parseAst } from 'vite';
import { afterAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { requestProblem } from '../harness/api-document.ts';

interface Block {
  /** `docs/guide/scheduling.md:12`. */
  readonly place: string;
  readonly language: string;
  readonly code: string;
}

const FENCE = /^( *)```(\w*)\n([^]*?)^\1```$/gm;

const blocks: readonly Block[] = ['README.md', ...globSync('docs/{guide,platforms}/*.md').toSorted()].flatMap(
  (file) => {
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(FENCE)].map(([, indent = '', language = '', code = ''], index) => ({
      place: `${file}:${text.slice(0, [...text.matchAll(FENCE)][index]?.index).split('\n').length}`,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }));
  },
);

const of = (...languages: readonly string[]) => blocks.filter(({ language }) => languages.includes(language));

/** What a reader fills in for `<post id>`, `"…"` and a variable of the shell. */
const ID = '01932b6a-0000-7000-8000-000000000000';

/** A shell would take `<post id>` for redirections. */
function filledIn(code: string): string {
  return code.replaceAll(/<[\w ]+>|(?<=")…(?=")/g, ID);
}

/** Runs a block with nothing but builtins: each command that it would start is written down instead. */
const NOTE_COMMANDS = `
PATH=/nonexistent
command_not_found_handle() { printf '%s\\037' "$@" >&3; printf '\\036' >&3; }
`;

const folder = mkdtempSync(join(tmpdir(), 'carillon-blocks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function commandsOf({ code }: Block): string[][] {
  const notes = join(folder, 'notes');
  execFileSync('/bin/bash', ['-c', `exec 3>'${notes}'\n${NOTE_COMMANDS}${filledIn(code)}\nexit 0`], {
    cwd: folder,
    timeout: 60_000,
    env: Object.fromEntries([...code.matchAll(/\$\{?([A-Z_]+)/g)].map(([, name]) => [name, ID])),
    stdio: 'ignore',
  });
  const commands = readFileSync(notes, 'utf8').split('\u001e').slice(0, -1);
  return commands.map((command) => command.split('\u001f').slice(0, -1));
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** What curl would send to the API of this machine; null when it asks for something else. */
function requestOf([command, ...words]: readonly string[]): Request | null {
  const url = words.find((word) => word.startsWith('http://localhost:3000/api/v2/'));
  if (command !== 'curl' || url === undefined) return null;
  const after = (...options: readonly string[]) => words[words.findIndex((word) => options.includes(word)) + 1];
  const has = (...options: readonly string[]) => words.some((word) => options.includes(word));
  const isJson = words.some((word) => /^content-type: application\/json$/i.test(word));
  const data = has('-d', '--data', '--data-binary') ? after('-d', '--data', '--data-binary') : undefined;
  const method = has('-X', '--request') ? after('-X', '--request') : data === undefined ? 'GET' : 'POST';
  const { pathname } = new URL(url);
  return {
    method: method ?? '',
    path: pathname.replace('/api/v2', ''),
    ...(isJson && data !== undefined && !data.startsWith('@') ? { body: JSON.parse(data) as unknown } : {}),
  };
}

const shell = of('sh');
const requests = shell.flatMap((block) =>
  commandsOf(block).flatMap((command) => {
    const request = requestOf(command);
    return request === null ? [] : [{ place: block.place, request }];
  }),
);

it('is in a language that these tests know', () => {
  expect(blocks.length).toBeGreaterThan(100);
  expect([...new Set(blocks.map(({ language }) => language))].toSorted()).toEqual(
    ['', 'csv', 'http', 'js', 'json', 'sh', 'text', 'ts', 'yaml'].filter((language) => of(language).length > 0),
  );
});

describe('a shell block', () => {
  it.each(shell)('parses: $place', ({ code }) => {
    execFileSync('/bin/bash', ['-n', '-c', filledIn(code)], { stdio: 'pipe' });
  });

  it.each(requests)('asks for what the API accepts: $place $request.method $request.path', ({ request }) => {
    expect(requestProblem(request.method, request.path, request.body)).toBeNull();
  });

  it('asks the API often enough for this to mean something', () => {
    expect(requests.length).toBeGreaterThan(40);
  });
});

describe('a block of JSON or YAML', () => {
  it.each(of('json'))('parses: $place', ({ code }) => {
    expect(() => JSON.parse(code) as unknown).not.toThrow();
  });

  it.each(of('yaml'))('parses: $place', ({ code }) => {
    expect(() => parseYaml(code) as unknown).not.toThrow();
  });
});

describe('a block of JavaScript or TypeScript', () => {
  it.each(of('js', 'ts'))('parses: $place', ({ code }) => {
    // An excerpt may be properties of an object.
    const whole = /^\s*\w+: /.test(code) ? `({${code}})` : code;
    expect(() => parseAst(stripTypeScriptTypes(whole))).not.toThrow();
  });
});

describe('a block of YAML', () => {
  it.each(of('yaml'))('parses: $place', ({ code }) => {
    expect(() => parseYaml(code) as unknown).not.toThrow();
  });
});

describe('a block of CSV', () => {
  it.each(of('csv'))('has as many fields in each row as in its header: $place', ({ code }) => {
    expect(parseCsv(code, { columns: true }).length).toBeGreaterThan(0);
  });
});

describe('a guide for those who come from another product', () => {
  const guides = globSync('docs/guide/from-*.md').toSorted();
  const calls = guides.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^\|[^|]*\|([^|]*)\|[^|]*\|$/gm)]
      .flatMap(([, counterpart = '']) => [...counterpart.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`]*)`/g)])
      .map(([, method = '', path = '']) => ({ file, method, path })),
  );

  it.each(calls)('names a call that exists: $file $method $path', ({ method, path }) => {
    expect(requestProblem(method, path, undefined)).toBeNull();
  });

  it('names many', () => {
    expect(guides).toHaveLength(3);
    expect(calls.length).toBeGreaterThan(50);
  });
});
