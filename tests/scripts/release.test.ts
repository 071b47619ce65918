/** A release: its changelog, the versions that must agree, and what each published package contains. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PUBLISHED, releaseChangelog, setVersion } from '../../scripts/release.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const packageOf = (folder: string) => JSON.parse(read(join(folder, 'package.json'))) as Record<string, unknown>;

const CHANGELOG = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A bell.\n\n## [1.0.0] - 2026-01-01\n\n- All.\n';

describe('the changelog of a release', () => {
  it('has the unreleased changes under the version, and room for the next ones', () => {
    expect(releaseChangelog(CHANGELOG, '1.1.0', '2026-12-01')).toBe(
      CHANGELOG.replace('## [Unreleased]\n', '## [Unreleased]\n\n## [1.1.0] - 2026-12-01\n'),
    );
  });

  it.each([
    ['1.0.0', CHANGELOG, 'CHANGELOG.md has a section 1.0.0 already'],
    ['1.1.0', CHANGELOG.replace('- A bell.', ''), 'CHANGELOG.md names no unreleased change'],
    ['1.1.0', '# Changelog\n', 'CHANGELOG.md has no section [Unreleased]'],
  ])('is refused for %s when there is nothing to release, or it exists', (version, text, message) => {
    expect(() => releaseChangelog(text, version, '2026-12-01')).toThrow(message);
  });
});

describe('versions', () => {
  it('are the same in every package', () => {
    const { version } = packageOf('.');
    expect(PUBLISHED.length).toBeGreaterThan(0);
    expect(PUBLISHED.map((folder) => packageOf(folder)['version'])).toEqual(PUBLISHED.map(() => version));
  });

  it('are set where a pattern finds them, or the release stops', () => {
    expect(setVersion('{\n  "version": "1.0.0"\n}', /^( {2}"version": ")[^"]+/m, '1.1.0')).toBe(
      '{\n  "version": "1.1.0"\n}',
    );
    expect(() => setVersion('{}', /^( {2}"version": ")[^"]+/m, '1.1.0')).toThrow('nothing matches');
  });
});

describe.each(PUBLISHED)('the package in %s', (folder) => {
  it('is made of its build, its README and what npm adds, and of no sources, tests or secrets', () => {
    const answer = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: join(ROOT, folder),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const packed = Object.values(JSON.parse(answer) as Record<string, { files: { path: string }[] }>);
    const files = packed.flatMap((one) => one.files.map(({ path }) => path));
    expect(files).toContain('README.md');
    expect(files.filter((file) => !/^(?:dist\/.+|README\.md|LICENSE|package\.json|[\w.-]+\.1)$/.test(file))).toEqual(
      [],
    );
  });
});
