/** The packages that a bundle contains, and the text with their licenses that must go with it. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';

const ROOT = path.join(import.meta.dirname, '..');

/** A plugin of the bundler, and the names of the packages that it has seen once the bundle is written. */
export function watchPackages(): { readonly plugin: Plugin; names(): string[] } {
  const modules = new Set<string>();
  const plugin: Plugin = {
    name: 'packages',
    generateBundle: (_options, output) => {
      for (const chunk of Object.values(output)) {
        if (chunk.type === 'chunk') for (const id of Object.keys(chunk.modules)) modules.add(id);
      }
    },
  };
  const names = () => {
    const found = [...modules].map(packageOf);
    return [...new Set(found.filter((name) => name !== undefined))].toSorted();
  };
  return { plugin, names };
}

/** The name of the package that a module belongs to; undefined for a source of this project. */
export function packageOf(id: string): string | undefined {
  return /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1];
}

/** @throws Error when a package has no license file */
export function licensesOf(names: readonly string[]): string {
  const texts = names.map((name) => {
    const folder = path.join(ROOT, 'node_modules', name);
    const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder });
    if (file === undefined) throw new Error(`${name} has no license file.`);
    const text = readFileSync(path.join(folder, file), 'utf8').trim();
    return `This program contains parts of ${name}:\n\n${text}\n`;
  });
  return [readFileSync(path.join(ROOT, 'LICENSE'), 'utf8'), ...texts].join(`\n${'-'.repeat(80)}\n\n`);
}
