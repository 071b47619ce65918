/** What a process loads: the built server, or its sources when they differ from it (docs/contract/running.md#two-commands). */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashFiles } from '../../server/build-record.js';
import { builtServer, SERVER_DIST } from '../../server/built-server.js';
import { REPOSITORY } from './install.ts';

const BUILT = builtServer(REPOSITORY) ?? '';
const FOLDER = join(BUILT, '..');

/** Prints each module that a process loads, those of Node.js with a word in front, in its last lines. */
const PRINT_MODULES = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  process.on('exit', () => console.log([...loaded, ...process.moduleLoadList].join('\\n')));
`;

/** Each module that a start loads which ends as soon as it has read its settings. */
function modulesOfStart(): string[] {
  const { PATH = '', HOME = '' } = process.env;
  const hook = `data:text/javascript,${encodeURIComponent(PRINT_MODULES)}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', hook, 'server/main.js'], {
    cwd: REPOSITORY,
    env: { PATH, HOME, PORT: 'none' },
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/^carillon: PORT/);
  return stdout.split('\n');
}

/** The paths of those below the repository. */
function loadedByStart(): string[] {
  const own = new URL(`file://${REPOSITORY}/`).href;
  return modulesOfStart()
    .filter((url) => url.startsWith(own) && !url.includes('/node_modules/'))
    .map((url) => url.slice(own.length));
}

describe('a start', () => {
  it('loads the build, and of the sources only what finds it', () => {
    const loaded = loadedByStart();

    expect(loaded.filter((file) => !file.startsWith(SERVER_DIST)).toSorted()).toEqual([
      'server/build-record.js',
      'server/built-server.js',
      'server/main.js',
    ]);
    expect(loaded).toContain(`${SERVER_DIST}/${FOLDER.slice(FOLDER.lastIndexOf('/') + 1)}/start.js`);
  });

  it('loads neither the compiler of TypeScript of Node.js nor its client of the web', () => {
    const modules = modulesOfStart().filter((name) => name.startsWith('NativeModule '));

    expect(modules).toContain('NativeModule http');
    expect(modules.filter((name) => /amaro|undici/.test(name))).toEqual([]);
  });

  it('loads the sources when they differ from the build', () => {
    const file = join(REPOSITORY, SERVER_DIST, 'sources.json');
    const text = readFileSync(file, 'utf8');
    const record = JSON.parse(text) as { files: string[]; sources: string };
    writeFileSync(file, JSON.stringify({ ...record, sources: hashFiles(REPOSITORY, record.files.slice(1)) }));
    try {
      const loaded = loadedByStart();

      expect(loaded.filter((path) => path.startsWith(SERVER_DIST))).toEqual([]);
      expect(loaded).toContain('server/install.ts');
    } finally {
      writeFileSync(file, text);
    }
  });
});

describe('the build', () => {
  it('holds every module that a process may load later, each of which loads', async () => {
    const files = readdirSync(FOLDER);
    const loads = await Promise.allSettled(files.map((file) => import(join(FOLDER, file))));

    const failures = loads.flatMap((load) => (load.status === 'rejected' ? [String(load.reason)] : []));
    // The service does not use what needs it.
    expect(failures).toEqual(['Error: Could not resolve "dataloader" imported by "@mikro-orm/core". Is it installed?']);
    expect(files.length).toBeGreaterThan(20);
  });
});
