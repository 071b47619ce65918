/** Builds the client package into client/dist: declarations of the router for types, and the client itself as plain JavaScript. */
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
const source = readFileSync(path.join(root, 'client', 'index.ts'), 'utf8');
writeFileSync(path.join(dist, 'client', 'index.js'), stripTypeScriptTypes(source));
