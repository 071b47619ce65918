/**
 * The version before the newest migration, from this repository's history: the oldest code that may run beside this one
 * during an upgrade (docs/decisions/0087-run-two-versions-on-one-schema.md).
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { REPOSITORY } from './server-process.ts';

/** Its packages are 40,000 files, and a busy disk has not written all of them yet. */
const REMOVAL_TIMEOUT_MS = 240_000;
const MIGRATIONS = 'entities/migrations/migration-*.ts';

/** The commit, or why there is none. */
export function previousCommit(): { readonly commit: string } | { readonly missing: string } {
  try {
    if (git('rev-parse', '--is-shallow-repository').trim() === 'true') {
      return { missing: 'the clone is shallow; get the whole history with git fetch --unshallow' };
    }
    // A migration that is not committed yet is the newest.
    const isNew = git('status', '--porcelain', '--untracked-files=all', '--', MIGRATIONS)
      .split('\n')
      .some((line) => /^(?:A|\?\?)/.test(line));
    if (isNew) return { commit: git('rev-parse', 'HEAD').trim() };
    const added = git('log', '--first-parent', '-m', '--diff-filter=A', '-1', '--format=%H', '--', MIGRATIONS).trim();
    return { commit: git('rev-parse', `${added}^1`).trim() };
  } catch {
    return { missing: 'there is no git history here' };
  }
}

/** Checks a commit out into a folder that is removed when the test ends, with the packages it needs. */
export function checkOut(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-previous-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }), REMOVAL_TIMEOUT_MS);
  const archive = join(folder, 'tree.tar');
  git('archive', '--output', archive, commit);
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  if (JSON.stringify(packagesOf(folder)) === JSON.stringify(packagesOf(REPOSITORY))) {
    symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  } else {
    execFileSync('npm', ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });
  }
  // The pages of the console are the same to what is tested.
  const built = join(REPOSITORY, 'console/dist');
  if (existsSync(built)) cpSync(built, join(folder, 'console/dist'), { recursive: true });
  // Its own sources may differ from these pages. Without all of them, as in an image, it does not compare the two, and logs no warning.
  rmSync(join(folder, 'scripts/console-vite.ts'), { force: true });
  return folder;
}

function packagesOf(folder: string): unknown {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies;
}

function git(...parameters: string[]): string {
  return execFileSync('git', parameters, { cwd: REPOSITORY, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
