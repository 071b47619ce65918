/**
 * Installs the official conformance suite and the inspector into `.cache/mcp` on first use, so that the product does
 * not depend on them.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '../crash/server-process.ts';

const FOLDER = join(REPOSITORY, '.cache/mcp');

/** Pinned, because another version has other rules. */
const MANIFEST = {
  name: 'carillon-mcp-suite',
  private: true,
  type: 'module',
  dependencies: { '@modelcontextprotocol/conformance': '0.2.0-alpha.12', '@modelcontextprotocol/inspector': '2.12.0' },
};

/** A command of the installed packages. */
export function suiteCommand(name: 'conformance' | 'mcp-inspector'): string {
  return join(FOLDER, 'node_modules/.bin', name);
}

/** Installs the packages unless this manifest is already installed there. */
export async function setup(): Promise<void> {
  const manifest = `${JSON.stringify(MANIFEST, null, 2)}\n`;
  const installed = join(FOLDER, 'node_modules/.installed');
  if (existsSync(installed) && (await readFile(installed, 'utf8')) === manifest) return;

  console.log('Installing the conformance suite and the inspector into .cache/mcp (once).');
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, 'package.json'), manifest);
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: FOLDER });
  await writeFile(installed, manifest);
}
