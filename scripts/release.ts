/**
 * `npm run release -- 2.1.0`: prepares a release and publishes nothing. It sets the version everywhere, dates the section of the
 * changelog, and writes the packages, the list of what is in them (SBOM, CycloneDX) and checksums to release/. It ends with
 * the commands that publish.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const OUTPUT = 'release';

/** Folders of the packages that are published. */
export const PUBLISHED = ['client', 'cli', 'integrations/n8n'].filter((folder) =>
  existsSync(path.join(ROOT, folder, 'package.json')),
);

/** Files that name the version, as patterns whose first group stays and whose rest is replaced. */
const VERSIONED: readonly (readonly [file: string, pattern: RegExp])[] = [
  ...['package.json', ...PUBLISHED.map((folder) => `${folder}/package.json`)].map(
    (file) => [file, /^( {2}"version": ")[^"]+/m] as const,
  ),
  // The first two are those of the root package.
  ['package-lock.json', /^( {2}"version": ")[^"]+/m],
  ['package-lock.json', /^( {6}"version": ")[^"]+/m],
  ['deploy/kubernetes/kustomization.yaml', /^( {4}newTag: ).+/m],
  ['integrations/mcp/server.json', /^( {2}"version": ")[^"]+/m],
  ['integrations/mcp/bundle/manifest.json', /^( {2}"version": ")[^"]+/m],
  ['integrations/mcp/claude-plugin/.claude-plugin/plugin.json', /^( {2}"version": ")[^"]+/m],
];

const VERSION = /^\d+\.\d+\.\d+$/;

/**
 * The changelog with the unreleased changes under the version.
 *
 * @param date `2026-12-01`
 * @throws Error when nothing is unreleased, or the version is there already
 */
export function releaseChangelog(text: string, version: string, date: string): string {
  if (text.includes(`\n## [${version}]`)) throw new Error(`CHANGELOG.md has a section ${version} already`);
  const [before, after] = text.split('\n## [Unreleased]\n');
  if (before === undefined || after === undefined) throw new Error('CHANGELOG.md has no section [Unreleased]');
  if (!/^- /m.test(after.split('\n## [')[0] ?? '')) throw new Error('CHANGELOG.md names no unreleased change');
  return `${before}\n## [Unreleased]\n\n## [${version}] - ${date}\n${after}`;
}

/** @throws Error when the pattern does not match */
export function setVersion(text: string, pattern: RegExp, version: string): string {
  if (!pattern.test(text)) throw new Error(`nothing matches ${pattern}`);
  return text.replace(pattern, `$1${version}`);
}

function change(file: string, edit: (text: string) => string): void {
  const location = path.join(ROOT, file);
  writeFileSync(location, edit(readFileSync(location, 'utf8')));
}

function run(command: string, parameters: readonly string[], folder = ROOT): string {
  return execFileSync(command, parameters, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function prepare(version: string | undefined): void {
  if (version === undefined || !VERSION.test(version)) throw new Error('name the version: npm run release -- 2.1.0');
  if (run('git', ['status', '--porcelain']).trim() !== '') throw new Error('commit or remove your changes first');
  const date = run('git', ['show', '--no-patch', '--format=%cs', 'HEAD']).trim();
  const changelog = releaseChangelog(readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8'), version, date);

  for (const [file, pattern] of VERSIONED) change(file, (text) => setVersion(text, pattern, version));
  change('CHANGELOG.md', () => changelog);

  const output = path.join(ROOT, OUTPUT);
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output);
  for (const folder of PUBLISHED) run('npm', ['pack', '--pack-destination', output], path.join(ROOT, folder));
  const sbom = run('npm', ['sbom', '--sbom-format=cyclonedx', '--omit=dev']);
  writeFileSync(path.join(output, `carillon-server-${version}.cdx.json`), sbom);
  const sums = readdirSync(output).map((file) => {
    const hash = createHash('sha256').update(readFileSync(path.join(output, file)));
    return `${hash.digest('hex')}  ${file}\n`;
  });
  writeFileSync(path.join(output, 'SHA256SUMS'), sums.join(''));
  console.log(`${OUTPUT}/ has ${version}. Look at the changes, then:

  git commit -am "Release ${version}" && git tag v${version} && git push --follow-tags
  npm publish ${OUTPUT}/*.tgz
  npm run build:mcp-bundle   # then integrations/mcp/README.md
  docker build -t carillon:${version} --build-arg NODE_IMAGE=… --build-arg BASE_IMAGE=… .   # docs/guide/containers.md#pin-the-bases`);
}

if (import.meta.main) {
  try {
    prepare(process.argv[2]);
  } catch (error) {
    console.error(`release: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
