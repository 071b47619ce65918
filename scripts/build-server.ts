/**
 * Builds the server into a new folder of server/dist: its modules and those of its packages in a few files. Node.js loads
 * them in a third of the time of 2,500 files, and they take less memory. A process that runs an earlier build loads parts
 * of it later, so the build before this one stays.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { build, type Plugin } from 'vite';
import { hashFiles, hashTexts, readRecord, writeRecord } from '../server/build-record.js';
import { SERVER_DIST } from '../server/built-server.js';
import { packageOf } from './bundled-licenses.ts';

const ROOT = path.join(import.meta.dirname, '..');
const ENTRY = path.join(ROOT, 'server/start.ts');

/** Packages that stay outside, because they find files of their own: native code, WebAssembly, workers and pages. */
const OUTSIDE = ['@electric-sql/pglite', '@scalar/fastify-api-reference', 'pino', 'sharp'];

/** Packages that name their own file only where this service does not go. */
const NAMES_NO_FILE = ['@mikro-orm/core', 'fdir', 'undici'];

/** An import statement as the build writes it: of a default export, of names, or of both. */
const IMPORT = /^import (?:([\w$]+)(?:, )?)?(?:\{ (.+) \})? from "([\w:/]+)";$/gm;

// Tests set another value, with which packages are built for development.
process.env['NODE_ENV'] = 'production';
const begun = performance.now();
const dist = path.join(ROOT, SERVER_DIST);
const before = (readRecord(dist) as { readonly folder: string } | undefined)?.folder;
/** Everything that the build reads besides packages, by its path below the root. */
const sources = new Map<string, string>();
for (const file of ['package-lock.json', 'scripts/build-server.ts'])
  sources.set(file, readFileSync(path.join(ROOT, file), 'utf8'));
process.stderr.write('carillon: building the server\n');
const fresh = path.join(
  dist,
  `build-${1 + Math.max(0, ...builds().map((name) => Number(name.slice('build-'.length))))}`,
);
mkdirSync(fresh, { recursive: true });
try {
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    plugins: [noteSources(), keepFolders(), refuseOtherWays(), requireBuiltins()],
    ssr: { noExternal: true, external: OUTSIDE, target: 'node' },
    build: {
      ssr: ENTRY,
      outDir: fresh,
      target: 'esnext',
      minify: false,
      rolldownOptions: {
        onLog: (level, log, pass) => log.code === 'EVAL' || pass(level, log),
        output: { format: 'es', entryFileNames: 'start.js', chunkFileNames: '[name]-[hash].js', keepNames: true },
      },
    },
  });
  const texts = [...sources].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const files = texts.map(([file]) => file);
  const built = hashTexts(texts);
  if (built !== hashFiles(ROOT, files)) throw new Error('a source changed while the server was built. Build it again.');
  writeRecord(dist, { sources: built, folder: path.basename(fresh), files });
} catch (error) {
  rmSync(fresh, { recursive: true, force: true });
  throw error;
}
removeOld();
process.stderr.write(`carillon: built the server in ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);

/** Lets modules find files beside their sources, which is where they stay. */
function keepFolders(): Plugin {
  return {
    name: 'carillon:folders',
    enforce: 'pre',
    transform: (code, id) => {
      if (isPackage(id) || !code.includes('import.meta.dirname')) return undefined;
      const way = path.relative(fresh, path.dirname(id)).replaceAll(path.sep, '/');
      return code.replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${way}`)})`);
    },
  };
}

/** Ends the build when a module may look for a file beside its own in a way that the build does not keep. */
function refuseOtherWays(): Plugin {
  return {
    name: 'carillon:files',
    enforce: 'pre',
    transform(code, id) {
      if (!path.isAbsolute(id)) return;
      const name = packageOf(id);
      if (name !== undefined && NAMES_NO_FILE.includes(name)) return;
      const own = name === undefined ? 'url|filename' : 'url|filename|dirname|resolve';
      const found = new RegExp(`\\b__(?:dirname|filename)\\b|\\bimport\\.meta\\.(?:${own})\\b`).exec(code);
      if (found === null) return;
      const remedy = name === undefined ? 'use import.meta.dirname' : `name ${name} in OUTSIDE, or in NAMES_NO_FILE`;
      this.error(`${id} uses ${found[0]}: ${remedy}`);
    },
  };
}

/**
 * Takes the modules of Node.js as `require` does. An import statement reads all exports of such a module, and Node.js makes some
 * of them when they are read: `node:http` would load its own client of the web, which nothing here uses.
 */
function requireBuiltins(): Plugin {
  return {
    name: 'carillon:builtins',
    renderChunk: (code) =>
      code.replace(IMPORT, (statement, whole: string | undefined, names: string | undefined, module: string) => {
        if (!isBuiltin(module)) return statement;
        const patterns = [whole, names && `{ ${names.replaceAll(' as ', ': ')} }`].filter(
          (pattern) => pattern !== undefined,
        );
        return patterns.map((pattern) => `const ${pattern} = process.getBuiltinModule("${module}");`).join(' ');
      }),
  };
}

/** Notes the sources as they are read. */
function noteSources(): Plugin {
  return {
    name: 'carillon:sources',
    enforce: 'pre',
    transform(code, id) {
      if (!isPackage(id)) sources.set(path.relative(ROOT, id).replaceAll(path.sep, '/'), code);
    },
  };
}

function isPackage(file: string): boolean {
  return file.includes('/node_modules/') || !path.isAbsolute(file);
}

/** Removes all builds but this one and the one before it, which processes may still run. */
function removeOld(): void {
  for (const name of builds()) {
    if (name !== path.basename(fresh) && name !== before)
      rmSync(path.join(dist, name), { recursive: true, force: true });
  }
}

/** Names of the folders of builds. */
function builds(): string[] {
  try {
    return readdirSync(dist).filter((name) => /^build-\d+$/.test(name));
  } catch {
    return [];
  }
}
