/** Whether a build belongs to the present sources. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { hashFiles, writeRecord } from '../../server/build-record.js';
import { CONSOLE_DIST, hashSources, isConsoleBuilt } from '../../server/built-console.js';
import { builtServer, SERVER_DIST } from '../../server/built-server.js';

const REPOSITORY = join(import.meta.dirname, '../..');

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'carillon-builds-'));
  return () => rmSync(root, { recursive: true });
});

/** Copies what the build of the console reads, and the scripts. */
function copySources(): void {
  for (const part of ['console/app', 'console/assets', 'client', 'errors', 'mcp', 'scripts', 'package-lock.json'])
    cpSync(join(REPOSITORY, part), join(root, part), { recursive: true });
}

function change(file: string, changed: (text: string) => string): void {
  writeFileSync(join(root, file), changed(readFileSync(join(root, file), 'utf8')));
}

describe('a build of the console', () => {
  const SOURCE = 'console/app/main.tsx';

  beforeEach(copySources);

  /** Leaves what a build of the present sources leaves. */
  function build(): void {
    mkdirSync(join(root, CONSOLE_DIST), { recursive: true });
    writeRecord(join(root, CONSOLE_DIST), { sources: hashSources(root) });
  }

  it('is missing in a fresh clone, and up to date once it is made', () => {
    expect(isConsoleBuilt(root)).toBe(false);

    build();

    expect(isConsoleBuilt(root)).toBe(true);
  });

  it.each([
    SOURCE,
    'console/assets/tokens.css',
    'package-lock.json',
    'errors/codes.ts',
    'mcp/views.ts',
    'scripts/console-vite.ts',
  ])('is stale when %s changes', (file) => {
    build();

    change(file, (text) => `${text} `);

    expect(isConsoleBuilt(root)).toBe(false);
  });

  it('is stale when a file is added', () => {
    build();

    writeFileSync(join(root, 'console/app', 'new.ts'), '');

    expect(isConsoleBuilt(root)).toBe(false);
  });

  it('stays up to date when a checkout sets other times or other line ends', () => {
    build();

    change(SOURCE, (text) => text.replaceAll('\n', '\r\n'));
    utimesSync(join(root, SOURCE), new Date(), new Date('2040-01-01'));

    expect(isConsoleBuilt(root)).toBe(true);
  });
});

describe('a build of the server', () => {
  const FILES = ['package-lock.json', 'server/start.ts', 'services/feeds/create-feed.ts'];
  const MODULE = join(SERVER_DIST, 'build-1/start.js');

  beforeEach(() => {
    for (const file of FILES) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), `${file}\n`);
    }
  });

  /** Leaves what a build of the present sources leaves. */
  function build(): void {
    mkdirSync(dirname(join(root, MODULE)), { recursive: true });
    writeFileSync(join(root, MODULE), '');
    writeRecord(join(root, SERVER_DIST), { sources: hashFiles(root, FILES), folder: 'build-1', files: FILES });
  }

  it('is missing in a fresh clone, and is loaded once it is made', () => {
    expect(builtServer(root)).toBeUndefined();

    build();

    expect(builtServer(root)).toBe(join(root, MODULE));
  });

  it.each(FILES)('is not loaded when %s changes, and is again when the change is taken back', (file) => {
    build();

    change(file, (text) => `${text} `);
    expect(builtServer(root)).toBeUndefined();

    change(file, (text) => text.slice(0, -1));
    expect(builtServer(root)).toBe(join(root, MODULE));
  });

  it('is not loaded when one of its sources is gone', () => {
    build();

    rmSync(join(root, 'services/feeds/create-feed.ts'));

    expect(builtServer(root)).toBeUndefined();
  });

  it('is not loaded when its own files are gone', () => {
    build();

    rmSync(dirname(join(root, MODULE)), { recursive: true });

    expect(builtServer(root)).toBeUndefined();
  });

  it('is not loaded when its record cannot be read', () => {
    build();

    writeFileSync(join(root, SERVER_DIST, 'sources.json'), '{"sources":');

    expect(builtServer(root)).toBeUndefined();
  });

  it('stays up to date when a checkout sets other times or other line ends', () => {
    build();

    change('server/start.ts', (text) => text.replaceAll('\n', '\r\n'));
    utimesSync(join(root, 'server/start.ts'), new Date(), new Date('2040-01-01'));

    expect(builtServer(root)).toBe(join(root, MODULE));
  });
});

describe('npm start', () => {
  /** Runs what precedes a start, with scripts in place of those that build. */
  function prepareStart(scripts: Readonly<Record<'console' | 'server', string>>) {
    copySources();
    for (const file of ['built-console.js', 'built-server.js', 'build-record.js'])
      cpSync(join(REPOSITORY, 'server', file), join(root, 'server', file));
    writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
    for (const [name, script] of Object.entries(scripts))
      writeFileSync(join(root, 'scripts', `build-${name}.ts`), script);
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/ensure-built.js')], {
      encoding: 'utf8',
    });
    return { status, stderr };
  }

  it('builds both', () => {
    const scripts = { console: `console.error('console built')`, server: `console.error('server built')` };

    expect(prepareStart(scripts)).toEqual({ status: 0, stderr: 'console built\nserver built\n' });
  });

  it('starts the server from its sources when it cannot be built', () => {
    expect(prepareStart({ console: '', server: 'process.exit(1)' })).toEqual({
      status: 0,
      stderr: 'carillon: the server was not built. Run "npm run build:server", and correct what it reports.\n',
    });
  });

  it('does not start without the console', () => {
    expect(prepareStart({ console: 'process.exit(1)', server: '' })).toEqual({
      status: 1,
      stderr: 'carillon: the console was not built. Run "npm run build:console", and correct what it reports.\n',
    });
  });
});
