/** Builds the bundle for desktop applications into integrations/mcp/dist: its manifest, and one module for plain Node.js. */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import { licensesOf, watchPackages } from './bundled-licenses.ts';

const ROOT = path.join(import.meta.dirname, '..');
const SOURCE = path.join(ROOT, 'integrations/mcp/bundle');
const dist = path.join(ROOT, 'integrations/mcp/dist');

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
const packages = watchPackages();
await build({
  configFile: false,
  root: SOURCE,
  logLevel: 'warn',
  plugins: [packages.plugin],
  ssr: { noExternal: true },
  build: {
    ssr: path.join(SOURCE, 'bridge.ts'),
    outDir: path.join(dist, 'server'),
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    rolldownOptions: { output: { format: 'es', entryFileNames: 'index.js', codeSplitting: false } },
  },
});
copyFileSync(path.join(SOURCE, 'manifest.json'), path.join(dist, 'manifest.json'));
writeFileSync(path.join(dist, 'LICENSES.txt'), licensesOf(packages.names()));
