/** Whether a build belongs to the present sources. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { CONSOLE_DIST, hashSources, isConsoleBuilt, recordSources } from '../../scripts/console-sources.js';

const REPOSITORY = join(import.meta.dirname, '../..');
const SOURCE = 'console/app/main.tsx';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'carillon-console-'));
  for (const part of ['console/app', 'console/assets', 'client', 'errors', 'mcp', 'scripts'])
    cpSync(join(REPOSITORY, part), join(root, part), { recursive: true });
  cpSync(join(REPOSITORY, 'package-lock.json'), join(root, 'package-lock.json'));
  return () => rmSync(root, { recursive: true });
});

/** Leaves what a build of the present sources leaves. */
function build(): void {
  mkdirSync(join(root, CONSOLE_DIST), { recursive: true });
  recordSources(join(root, CONSOLE_DIST), hashSources(root));
}

describe('a build', () => {
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

    writeFileSync(join(root, file), `${readFileSync(join(root, file), 'utf8')} `);

    expect(isConsoleBuilt(root)).toBe(false);
  });

  it('is stale when a file is added', () => {
    build();

    writeFileSync(join(root, 'console/app', 'new.ts'), '');

    expect(isConsoleBuilt(root)).toBe(false);
  });

  it('stays up to date when a checkout sets other times or other line ends', () => {
    build();

    const text = readFileSync(join(root, SOURCE), 'utf8');
    writeFileSync(join(root, SOURCE), text.replaceAll('\n', '\r\n'));
    utimesSync(join(root, SOURCE), new Date(), new Date('2040-01-01'));

    expect(isConsoleBuilt(root)).toBe(true);
  });
});
