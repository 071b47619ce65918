/** Validates each manifest against its schema: run.sh installs the schemas beside a copy of this file. */
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const root = process.argv[2] ?? '.';
const { parseAllDocuments } = createRequire(join(root, 'package.json'))('yaml');

for (const file of globSync('deploy/kubernetes/*.yaml', { cwd: root })) {
  for (const document of parseAllDocuments(readFileSync(join(root, file), 'utf8'))) {
    const manifest = document.toJS();
    if (manifest.kind === 'Kustomization') continue;
    const { [manifest.kind]: Model } = await import(`kubernetes-models/${manifest.apiVersion}`);
    new Model(manifest).validate();
    console.log(`${file}: ${manifest.kind} ${manifest.metadata.name} is valid`);
  }
}
