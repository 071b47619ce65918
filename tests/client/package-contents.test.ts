/** What the packed client has: its files, its size, and types that are those of the service. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import clientJson from '../../client/package.json' with { type: 'json' };
import { KEYED_OPERATIONS } from '../../client/retry-policy.ts';
import { operations } from '../../routers/operations.ts';
import { link, packedProject, ROOT, typeCheck } from './consumer-project.ts';

let project: { readonly folder: string; readonly files: readonly string[] };
beforeAll(() => {
  project = packedProject();
});

describe('the package', () => {
  it('has the version of the product, no dependencies, and is licensed like it', () => {
    expect(clientJson).toMatchObject({ version: packageJson.version, license: packageJson.license });
    expect(Object.keys(clientJson)).not.toContain('dependencies');
    expect(Object.keys(clientJson)).not.toContain('private');
  });

  it('has its modules, their types, its README and the licenses, and nothing else', () => {
    const modules = project.files.filter((file) => file.endsWith('.js'));

    expect(modules).toEqual(['package/dist/index.js', 'package/dist/react-query.js']);
    expect(project.files.filter((file) => !/^package\/dist\/[\w-]+\.(js|d\.ts)$/.test(file))).toEqual([
      'package/README.md',
      'package/dist/LICENSES.txt',
      'package/package.json',
    ]);
  });

  it('takes less than 15 KB in a page, minified and compressed', async () => {
    const entry = path.join(project.folder, 'node_modules', 'carillon-client', 'dist', 'index.js');
    const output = (await build({
      configFile: false,
      logLevel: 'error',
      build: {
        write: false,
        target: 'es2022',
        lib: { entry, formats: ['es'], fileName: 'client' },
        rolldownOptions: { output: { minify: true } },
      },
    })) as Rolldown.RolldownOutput[];
    const [chunk] = output.flatMap((one) => one.output);
    const code = chunk?.type === 'chunk' ? chunk.code : '';

    const sizes = { minified: Buffer.byteLength(code), compressed: gzipSync(code, { level: 9 }).length };
    console.log(`carillon-client: ${sizes.minified} bytes minified, ${sizes.compressed} compressed`);
    expect(code).toContain('CarillonError');
    expect(sizes.compressed).toBeLessThan(15 * 1024);
    expect(sizes.minified).toBeLessThan(40 * 1024);
  });

  it('imports nothing, and reads nothing that only Node has', () => {
    const code = readFileSync(path.join(project.folder, 'node_modules/carillon-client/dist/index.js'), 'utf8');

    expect(code.match(/^import .*/gm)).toBeNull();
    expect(code.match(/\b(process|Buffer|require)\b[.(]/g)).toBeNull();
  });

  it('knows which operations take an Idempotency-Key', () => {
    const keyed = operations.filter(({ meta }) => meta.takesIdempotencyKey === true).map(({ name }) => name);

    expect([...KEYED_OPERATIONS].toSorted()).toEqual(keyed.toSorted());
  });
});

describe('the types of the package', () => {
  it('are those of the operations, the events and the errors of the service', () => {
    const compare = `
import type * as Built from '${ROOT}/client/dist/api-types.js';
import type * as Source from '${ROOT}/client/api-types.ts';
type Differing<A, B> = {
  [K in keyof A | keyof B]: K extends keyof A & keyof B
    ? [A[K]] extends [B[K]] ? ([B[K]] extends [A[K]] ? never : [K, 'is narrower']) : [K, 'is wider']
    : [K, 'is in one only'];
}[keyof A | keyof B];
type Differing2<A, B> = {
  [R in keyof A | keyof B]: R extends keyof A & keyof B ? Differing<A[R], B[R]> : [R, 'is in one only'];
}[keyof A | keyof B];
type None<T extends never> = T;
export type Checked = [
  None<Differing2<Built.Inputs, Source.Inputs>>,
  None<Differing2<Built.Outputs, Source.Outputs>>,
  None<Differing2<Built.Kinds, Source.Kinds>>,
  None<Differing<Built.EventPayloads, Source.EventPayloads>>,
  None<Differing<Omit<Built.ErrorBody, 'details'>, Omit<Source.ErrorBody, 'details'>>>,
];
export const details = (body: Built.ErrorBody): Source.ErrorBody['details'] => body.details;
// @ts-expect-error the comparison sees what differs
export type Seen = None<Differing<{ a: string }, { a: 'x' }>>;
`;
    const { folder } = project;
    writeFileSync(path.join(folder, 'compare.ts'), compare);
    link(folder, '@types', path.join(ROOT, 'node_modules', '@types'));
    const options = { types: ['node'], lib: ['esnext'], allowImportingTsExtensions: true, skipLibCheck: true };

    // The sources of the service have stricter options, so only what this file says counts.
    const reported = typeCheck(folder, { ...options, target: 'esnext' }, ['compare.ts']).split('\n');
    expect(reported.filter((line) => /\bcompare\.ts\(/.test(line))).toEqual([]);
  });

  it('describe each field as the OpenAPI document does', () => {
    const types = readFileSync(path.join(ROOT, 'client', 'dist', 'api-types.d.ts'), 'utf8');

    expect(types).toContain('/** Slugs of the connections to post to, 1 to 100. Repeats are ignored. */');
  });
});
