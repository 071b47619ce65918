/** The code in README.md, docs/guide and docs/platforms: it parses, and its requests are ones that the API accepts. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { parse as parseCsv } from 'csv-parse/sync';
import { parseAst } from 'vite';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { requestProblem } from '../harness/api-document.ts';
import { type Block, blocksOf, commandsOf, curlRequest, filledIn } from './code-blocks.ts';

const blocks: readonly Block[] = ['README.md', ...globSync('docs/{guide,platforms}/*.md').toSorted()].flatMap(blocksOf);

const of = (...languages: readonly string[]) => blocks.filter(({ language }) => languages.includes(language));

const API = 'http://localhost:3000/api/v2';

interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** What curl would send to the API of this machine; null when it asks for something else. */
function requestOf(words: readonly string[]): ApiRequest | null {
  const request = curlRequest(words);
  if (request?.url.startsWith(`${API}/`) !== true) return null;
  const isJson = request.headers['content-type'] === 'application/json';
  const path = new URL(request.url).pathname.replace('/api/v2', '');
  return {
    method: request.method,
    path,
    ...(isJson && request.body !== undefined && { body: JSON.parse(request.body) as unknown }),
  };
}

const shell = of('sh');
const requests = shell.flatMap((block) =>
  commandsOf(block.code).flatMap((command) => {
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
