/** Projects outside of the repository that use the client as their users do. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { whenOver } from '../harness/closing.ts';

export const ROOT = path.join(import.meta.dirname, '..', '..');
const CLIENT = path.join(ROOT, 'client');

/** Builds the package into client/dist. */
export function buildClient(): void {
  execFileSync(process.execPath, [path.join(ROOT, 'scripts', 'build-client.ts')], { stdio: 'pipe' });
}

function emptyProject(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'carillon-consumer-'));
  whenOver(async () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  return folder;
}

/** A project with the built client and packages of this repository, all as links. */
export function linkedProject(packages: readonly string[] = []): string {
  buildClient();
  const folder = emptyProject();
  link(folder, 'carillon-client', CLIENT);
  for (const name of packages) link(folder, name, path.join(ROOT, 'node_modules', name));
  return folder;
}

/** Makes a package of this repository available to a project. */
export function link(folder: string, name: string, target: string): void {
  const place = path.join(folder, 'node_modules', name);
  mkdirSync(path.dirname(place), { recursive: true });
  symlinkSync(target, place);
}

/** A project in which nothing but the packed client is installed, without a network. */
export function packedProject(): { readonly folder: string; readonly files: readonly string[] } {
  const folder = emptyProject();
  npm(CLIENT, 'pack', '--silent', '--pack-destination', folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  npm(folder, 'install', '--offline', '--no-audit', '--no-fund', '--silent', path.join(folder, tarball));
  const files = execFileSync('tar', ['-tf', path.join(folder, tarball)], { encoding: 'utf8' });
  return { folder, files: files.trim().split('\n').toSorted() };
}

function npm(cwd: string, ...args: readonly string[]): void {
  execFileSync('npm', args, { cwd, stdio: 'pipe', env: { ...process.env, NODE_ENV: 'development' } });
}

/** Type-checks a project; the output of the compiler, which is empty when all is well. */
export function typeCheck(folder: string, compilerOptions: object = {}, include: readonly string[] = ['*.ts']): string {
  const all = { module: 'nodenext', target: 'es2022', strict: true, noEmit: true, types: [], ...compilerOptions };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: all, include }));
  const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    return execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
