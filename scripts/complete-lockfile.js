/**
 * Completes package-lock.json after `npm install`: a registry that lacks the builds of some packages for
 * other platforms makes npm leave them out, and then `npm ci` refuses the lockfile. Adds an entry for each
 * such optional build, marked with its platform, so that it is skipped wherever it does not belong.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const file = path.join(import.meta.dirname, '..', 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));

/** `@scope/binding-linux-arm-musleabihf` or `@scope/win32-x64`: operating system, processor, C library. */
const BUILD =
  /[/-](android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|ia32|ppc64|riscv64|s390x|x64)(?:-(\w+))?$/;

for (const [parent, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const nested = `${parent}/node_modules/${name}`;
    const hoisted = `node_modules/${name}`;
    const build = BUILD.exec(name);
    if (parent === '' || build === null || lock.packages[nested] || lock.packages[hoisted]) continue;
    const [, os, cpu, abi = ''] = build;
    const libc = os !== 'linux' ? undefined : abi.startsWith('musl') ? 'musl' : 'glibc';
    lock.packages[hoisted] = {
      version,
      cpu: [cpu],
      ...(entry.dev ? { dev: true } : {}),
      ...(libc === undefined ? {} : { libc: [libc] }),
      optional: true,
      os: [os],
    };
  }
}

const sorted = Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'));
lock.packages = Object.fromEntries(sorted);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
