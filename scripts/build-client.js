/**
 * Builds the client package into client/dist: the router's type declarations, and the client itself as plain
 * JavaScript.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const dist = path.join(root, 'client', 'dist');

rmSync(dist, { recursive: true, force: true });
const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
execFileSync(process.execPath, [compiler, '-p', path.join(root, 'client')], { stdio: 'inherit' });
mkdirSync(path.join(dist, 'client'), { recursive: true });
for (const name of ['index', 'verify-webhook']) {
  const source = readFileSync(path.join(root, 'client', `${name}.ts`), 'utf8');
  const script = stripTypeScriptTypes(source).replaceAll(/from '(\.\/[\w-]+)\.ts'/g, "from '$1.js'");
  writeFileSync(path.join(dist, 'client', `${name}.js`), script);
}
