/**
 * Builds the nodes for n8n into integrations/n8n/dist, as n8n requires them: CommonJS modules named like their classes, each
 * with its icon. Nothing but n8n’s own library is required at run time.
 */
import { copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';

const SOURCE = path.join(import.meta.dirname, '../integrations/n8n');
const fresh = path.join(SOURCE, `.build-${process.pid}`);
const dist = path.join(SOURCE, 'dist');

const MODULES = {
  'credentials/CarillonApi.credentials': 'carillon-api.ts',
  'nodes/Carillon/Carillon.node': 'carillon-node.ts',
  'nodes/Carillon/CarillonTrigger.node': 'carillon-trigger.ts',
};

try {
  for (const [name, file] of Object.entries(MODULES)) {
    await build({
      configFile: false,
      root: SOURCE,
      logLevel: 'warn',
      ssr: { noExternal: true },
      build: {
        ssr: path.join(SOURCE, file),
        outDir: fresh,
        emptyOutDir: false,
        target: 'node20',
        minify: false,
        rolldownOptions: {
          external: ['n8n-workflow'],
          output: { format: 'cjs', entryFileNames: `${name}.js`, codeSplitting: false },
        },
      },
    });
  }
  for (const folder of ['credentials', 'nodes/Carillon']) {
    copyFileSync(path.join(SOURCE, 'carillon.svg'), path.join(fresh, folder, 'carillon.svg'));
  }
  // The codex file of a node: its category and the words that people search it by.
  copyFileSync(path.join(SOURCE, 'carillon.node.json'), path.join(fresh, 'nodes/Carillon/Carillon.node.json'));
  copyFileSync(
    path.join(SOURCE, 'carillon-trigger.node.json'),
    path.join(fresh, 'nodes/Carillon/CarillonTrigger.node.json'),
  );
  // n8n requires its nodes; the sources beside this folder are modules.
  writeFileSync(path.join(fresh, 'package.json'), '{ "type": "commonjs" }\n');
  rmSync(dist, { recursive: true, force: true });
  renameSync(fresh, dist);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
