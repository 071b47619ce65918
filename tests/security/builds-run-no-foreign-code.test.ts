/**
 * Installs and checks of this repository run no untrusted code: pinned packages, verified content, and no code from
 * outside in CI.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

interface Lockfile {
  readonly packages: Readonly<Record<string, { integrity?: string; link?: boolean; resolved?: string }>>;
}

const manifests = globSync('{package.json,tests/*/package.json}').filter((file) => !file.includes('node_modules'));

describe('packages', () => {
  it.each(manifests)('of %s are pinned to one version each', (file) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(file, 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^(npm:.+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    );

    expect(loose).toEqual([]);
  });

  it.each(manifests.map((file) => file.replace('package.json', 'package-lock.json')))(
    'of %s come only from the registry, never from a repository or a URL',
    (file) => {
      const { packages } = JSON.parse(readFileSync(file, 'utf8')) as Lockfile;
      const foreign = Object.entries(packages).filter(([, { resolved = '' }]) => /^(git|http:|file:)/.test(resolved));

      expect(Object.keys(packages).length).toBeGreaterThan(50);
      expect(foreign).toEqual([]);
    },
  );

  it('run no install scripts except the named ones', () => {
    const allowed = Object.entries((packageJson as { allowScripts?: Record<string, boolean> }).allowScripts ?? {});

    expect(allowed.filter(([name, isAllowed]) => isAllowed && name !== 'node')).toEqual([]);
  });
});

describe('continuous integration', () => {
  const scripts = globSync('.ci/*');

  it.each(scripts)('%s downloads no script, and evaluates no text', (file) => {
    const text = readFileSync(file, 'utf8');

    expect(text).not.toMatch(/\beval\b|\bcurl\b|\bwget\b|\|\s*(ba)?sh\b|\$\{\{/);
  });

  it('has no workflow that reads untrusted titles, branches or texts', () => {
    expect(scripts.length).toBeGreaterThan(0);
    expect(existsSync('.github/workflows')).toBe(false);
  });
});
