/**
 * Installs the official conformance suite, the inspector and the clients of other vendors into `.cache/mcp` on first use,
 * so that the product does not depend on them.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { REPOSITORY } from '../crash/server-process.ts';

const FOLDER = join(REPOSITORY, '.cache/mcp');

/** Pinned, because another version has other rules. */
const MANIFEST = {
  name: 'carillon-mcp-suite',
  private: true,
  type: 'module',
  dependencies: {
    '@ai-sdk/mcp': '2.0.99',
    '@anthropic-ai/mcpb': '2.1.2',
    '@langchain/core': '1.4.0',
    '@langchain/mcp-adapters': '1.1.4',
    '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
    '@modelcontextprotocol/inspector': '2.12.0',
    'mcp-remote': '0.15.1',
  },
};

/** A command of the installed packages. */
export function suiteCommand(name: 'conformance' | 'mcp-inspector' | 'mcp-remote' | 'mcpb'): string {
  return join(FOLDER, 'node_modules/.bin', name);
}

/** A library of the installed packages. @returns its exports, whose types the product does not have */
export async function suiteLibrary(name: '@ai-sdk/mcp' | '@langchain/mcp-adapters'): Promise<Record<string, unknown>> {
  const address = import.meta.resolve(name, pathToFileURL(join(FOLDER, 'package.json')));
  return (await import(address)) as Record<string, unknown>;
}

/** Installs the packages unless this manifest is already installed there. */
export async function setup(): Promise<void> {
  const manifest = `${JSON.stringify(MANIFEST, null, 2)}\n`;
  const installed = join(FOLDER, 'node_modules/.installed');
  if (existsSync(installed) && (await readFile(installed, 'utf8')) === manifest) return;

  console.log('Installing the conformance suite, the inspector and other clients into .cache/mcp (once).');
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, 'package.json'), manifest);
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: FOLDER });
  await writeFile(installed, manifest);
}
