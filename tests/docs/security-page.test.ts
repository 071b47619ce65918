/**
 * The security page names at least one test for each of the twelve classes of attack, and every test that it names
 * exists.
 */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const page = readFileSync('docs/guide/security.md', 'utf8');
const rows = page.split('\n').filter((line) => /^\| \d+\. /.test(line));
const testsIn = (text: string) => [...text.matchAll(/`(tests\/[\w./-]+\.ts)`/g)].map(([, file = '']) => file);

it('has twelve classes with at least one test each', () => {
  expect(rows.map((row) => Number(/^\| (\d+)\./.exec(row)?.[1]))).toEqual(
    Array.from({ length: 12 }, (_, index) => index + 1),
  );
  expect(rows.filter((row) => testsIn(row).length === 0)).toEqual([]);
});

it('names only tests that exist', () => {
  expect(testsIn(page).filter((file) => !existsSync(file))).toEqual([]);
});

it('is linked from SECURITY.md, which says how to report and which versions are supported', () => {
  const policy = readFileSync('SECURITY.md', 'utf8');

  expect(policy).toContain('(docs/guide/security.md)');
  expect(policy).toMatch(/^## How to report$/m);
  expect(policy).toMatch(/^## Supported versions$/m);
});
