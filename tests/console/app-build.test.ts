/** The build of the console app: what each view loads, and what the code may not do. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
}

const DIST = join(import.meta.dirname, '../../console/dist');
const manifest = JSON.parse(readFileSync(join(DIST, 'manifest.json'), 'utf8')) as Record<string, Chunk>;
const ENTRY = 'console/app/main.tsx';
const VIEWS = Object.keys(manifest).filter((name) => name.endsWith('-view.tsx'));

/** Largest compressed script of a first load, whichever view it opens. */
const BUDGET_BYTES = 200_000;

/** The scripts that a chunk loads at once. */
function scriptsOf(name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (chunk === undefined || seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const imported of chunk.imports ?? []) scriptsOf(imported, seen);
  return seen;
}

describe('the first load', () => {
  it.each(VIEWS)('of %s stays within the budget', (view) => {
    const scripts = scriptsOf(view, scriptsOf(ENTRY));

    const bytes = [...scripts].reduce((sum, file) => sum + readFileSync(join(DIST, `${file}.br`)).length, 0);

    expect(bytes).toBeLessThan(BUDGET_BYTES);
  });

  it('brings no chart, and no overlay that opens later', () => {
    const loaded = [...scriptsOf('console/app/views/today/today-view.tsx', scriptsOf(ENTRY))].join(' ');

    expect(loaded).not.toMatch(/uPlot|palette|drawer|shortcut-list/i);
  });
});

describe('the scripts', () => {
  const scripts = readdirSync(join(DIST, 'files')).filter((name) => name.endsWith('.js'));

  it('are built for production', () => {
    const texts = scripts.map((name) => readFileSync(join(DIST, 'files', name), 'utf8')).join('\n');

    expect(texts).not.toContain('react.dev/link/hydration-mismatch');
    expect(texts).not.toMatch(/\beval\(|new Function\(/);
  });
});
