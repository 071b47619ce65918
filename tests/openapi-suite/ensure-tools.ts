/**
 * Installs linters and generators for the OpenAPI document into `.cache/openapi` on first use. They have a separate
 * lockfile, because the generators need TypeScript 5 and the product must not depend on them.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const HERE = import.meta.dirname;
const FILES = ['package.json', 'package-lock.json'];

/** Folder of the installed tools; ignored by git and kept between runs. */
export const TOOLS = resolve(HERE, '../../.cache/openapi');

/** Loads an installed package. */
export const loadTool = createRequire(join(TOOLS, 'package.json'));

/** Runs a command of the installed packages on the Node of the tests. @throws Error with its output when it fails */
export async function runTool(command: string, parameters: readonly string[], cwd: string): Promise<void> {
  const { PATH = '', HOME = '' } = process.env;
  const file = join(TOOLS, 'node_modules', command);
  await promisify(execFile)(process.execPath, [file, ...parameters], { cwd, env: { PATH, HOME } }).catch(
    (error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${command} failed:\n${error.stdout}\n${error.stderr}`, { cause: error });
    },
  );
}

/** Installs the packages unless these versions are already installed there. */
export async function setup(): Promise<void> {
  const lockfile = await readFile(join(HERE, 'package-lock.json'), 'utf8');
  const installed = join(TOOLS, 'node_modules/.installed');
  if (existsSync(installed) && (await readFile(installed, 'utf8')) === lockfile) return;

  console.log('Installing linters and generators into .cache/openapi (once, about 130 MB).');
  await mkdir(TOOLS, { recursive: true });
  for (const file of FILES) await copyFile(join(HERE, file), join(TOOLS, file));
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: TOOLS });
  await writeFile(installed, lockfile);
}
