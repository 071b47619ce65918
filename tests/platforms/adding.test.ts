/**
 * Adds the platform of docs/platforms/adding.md to a copy of this project, and tests it there: the folder and the line
 * are enough, and the page is right.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);

/** What the tests of a platform need. */
const COPIED = [
  'cli',
  'client',
  'console',
  'entities',
  'errors',
  'jobs',
  'mcp',
  'platforms',
  'routers',
  'scripts',
  'server',
  'services',
  'tests/harness',
  'tests/platforms',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vitest.config.ts',
];

const page = readFileSync('docs/platforms/adding.md', 'utf8');

/** The code below a heading of the page. */
function codeBelow(heading: string): string {
  const code = page.split(`### ${heading}\n\n\`\`\`ts\n`)[1]?.split('```')[0];
  if (code === undefined) throw new Error(`docs/platforms/adding.md has no code below ${heading}`);
  return code;
}

/** The files that the page adds. */
const added = [...page.matchAll(/^### `([^`]+)`$/gm)].map(([, file = '']) => file);

let copy = '';

beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'carillon-platform-'));
  // Another process may be building the server meanwhile.
  const filter = (source: string) => !source.startsWith(path.join('server', 'dist'));
  for (const name of COPIED) cpSync(name, path.join(copy, name), { recursive: true, filter });
  symlinkSync(path.resolve('node_modules'), path.join(copy, 'node_modules'));
  for (const file of added) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    writeFileSync(path.join(copy, file), codeBelow(`\`${file}\``));
  }
  insert('platforms/registry.ts', codeBelow('In `platforms/registry.ts`'), '  sandbox:');
  insert(
    'tests/platforms/servers/index.ts',
    "import { startChirpServer } from './chirp.ts';\n",
    'import { startBluesky',
  );
  insert('tests/platforms/servers/index.ts', '  startChirpServer,\n', '] as const;');
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Inserts lines before a line of a file. */
function insert(file: string, lines: string, before: string): void {
  const text = readFileSync(path.join(copy, file), 'utf8');
  expect(text.split(`\n${before}`)).toHaveLength(2);
  writeFileSync(path.join(copy, file), text.replace(`\n${before}`, `\n${lines}${before}`));
}

/** Runs a tool of node_modules in the copy. @returns what it prints, and its failure */
async function runInCopy(tool: string, ...parameters: string[]): Promise<{ output: string; isOk: boolean }> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^VITEST|^CARILLON_/.test(name));
  // The runtime of this test, which may not be the one that the shell finds first.
  const runtime = path.dirname(process.execPath);
  const env = { ...Object.fromEntries(inherited), PATH: `${runtime}${path.delimiter}${process.env['PATH'] ?? ''}` };
  try {
    const { stdout } = await run(path.resolve('node_modules/.bin', tool), parameters, { cwd: copy, env });
    return { output: stdout, isOk: true };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { output: stdout + stderr, isOk: false };
  }
}

it('adds one folder, and one line in the registry', () => {
  const product = added.filter((file) => !file.startsWith('tests/'));

  expect([...new Set(product.map((file) => path.dirname(file)))]).toEqual(['platforms/chirp']);
  expect(codeBelow('In `platforms/registry.ts`').trim().split('\n')).toHaveLength(1);
});

it('has types without any other change', async () => {
  expect(await runInCopy('tsc', '--noEmit', '--singleThreaded')).toEqual({ output: '', isOk: true });
}, 200_000);

it('passes the contract test, and is in the list of platforms, in forms and in validation', async () => {
  const report = path.join(copy, 'report.json');
  const tests = ['tests/platforms/contract.test.ts', 'tests/platforms/chirp.test.ts'];
  const only = ['--testNamePattern', 'chirp|covers every platform', '--maxWorkers', '1'];

  await runInCopy('vitest', 'run', ...tests, ...only, '--reporter', 'json', '--outputFile', report);

  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: {
      message: string;
      assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
    }[];
  };
  expect(testResults.map(({ message }) => message)).toEqual(['', '']);
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  expect(results.filter(({ status }) => status === 'failed')).toEqual([]);
  expect(results.filter(({ status }) => status === 'passed').length).toBeGreaterThan(15);
}, 400_000);
