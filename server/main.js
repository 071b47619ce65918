/**
 * Starts an install with the settings of this process's environment, and stops it gracefully. Plain JavaScript: for one file
 * of TypeScript, Node.js loads a compiler that takes 18 MB, which the build does not need.
 */
import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { builtServer } from './built-server.js';

const ROOT = path.join(import.meta.dirname, '..');

// Before any file is created: only the process's own user may read what it writes.
process.umask(0o077);

// Compiled code is kept beside the packages: anyone who can write there can change the code too. A folder that is not writable
// only means a slower start.
enableCompileCache(path.join(ROOT, 'node_modules/.cache/carillon'));

// Registered first: a stop during the start must not abort what the start has begun.
const askedToStop = new Promise((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => resolve(signal));
});

// Loaded now, because only what is loaded after the cache is enabled comes from it. The build loads much faster than the
// sources. They serve when there is none, or when they differ from it.
const { start } = await import(builtServer(ROOT) ?? path.join(import.meta.dirname, 'start.ts'));
await start(askedToStop);
