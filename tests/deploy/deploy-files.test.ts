/** The image, compose.yaml and the manifests agree with the product and with each other (docs/guide/containers.md). */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../server/config.ts';
import { Environment } from '../../server/settings.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Settings of the credentials of a bucket, which the library reads itself. */
const LIBRARY_SETTINGS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

const SETTINGS = new Set([...Object.keys(Environment.shape), ...LIBRARY_SETTINGS]);

/** The most seconds that a process takes to end (server/start.ts). */
const STOP_SECONDS = Number(/STOP_TIMEOUT_MS = (\d+)_000/.exec(read('server/start.ts'))?.[1]);

const { version } = JSON.parse(read('package.json')) as { version: string };

describe('the image', () => {
  const dockerfile = read('Dockerfile');
  const [build = '', image = ''] = dockerfile.split(/^FROM /m).slice(1);

  it('takes both bases as arguments, so that a release can name them by digest', () => {
    expect(dockerfile.match(/^(?:ARG|FROM) .*/gm)).toEqual([
      'ARG NODE_IMAGE=node:24-bookworm-slim',
      'ARG BASE_IMAGE=debian:bookworm-slim',
      'FROM ${NODE_IMAGE} AS build',
      'FROM ${BASE_IMAGE}',
    ]);
  });

  it('installs what the lockfile says, runs the server without npm and without root, and checks its health', () => {
    expect(build).toContain('RUN npm ci --omit=dev');
    expect(image).toMatch(/^USER 10001:10001$/m);
    expect(image).toContain('ENTRYPOINT ["node"]\nCMD ["server/main.js"]');
    expect(image).toMatch(/^HEALTHCHECK [^]*CMD \["node", "deploy\/health-check\.js"\]$/m);
    expect(image.match(/--chown/g)).toBeNull();
  });

  it('sets settings that exist', () => {
    const set = /^ENV (.*)$/m.exec(image)?.[1]?.matchAll(/(\w+)=/g) ?? [];
    const names = [...set].map(([, name]) => name);
    expect(names).toEqual(['NODE_ENV', 'HOST', 'PORT', 'DATA_DIR', 'PATH']);
    expect(names.filter((name) => name !== 'PATH' && !SETTINGS.has(name ?? ''))).toEqual([]);
  });

  it('receives every folder that the server imports, and no tests', () => {
    const included =
      read('.dockerignore')
        .match(/^!.*$/gm)
        ?.map((line) => line.slice(1)) ?? [];
    const imported = globSync('{cli,console,entities,errors,jobs,mcp,platforms,routers,server,services}/**/*.ts', {
      cwd: ROOT,
      exclude: ['console/app/**', 'console/dist*/**'],
    }).flatMap((file) => {
      const paths = [...read(file).matchAll(/from '(\.[^']+)'/g)].map(([, path]) => join(file, '..', path ?? ''));
      return paths.map((path) => path.split('/')[0] ?? '');
    });
    const folders = [...new Set(imported)].filter((name) => !included.includes(name));
    expect(folders).toEqual([]);
    expect(included).not.toContain('tests');
  });
});

interface ComposeService {
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[];
  readonly environment?: Record<string, string>;
  readonly image: string;
  readonly command?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly stop_grace_period?: string;
  readonly deploy?: { readonly replicas: number };
  readonly ports?: readonly string[];
  readonly depends_on?: Record<string, unknown>;
  readonly volumes?: readonly string[];
}

/** What make-env.sh writes. */
function newSecrets(): Record<string, string> {
  const { stdout } = spawnSync('sh', [join(ROOT, 'deploy/make-env.sh'), 'bells.example'], { encoding: 'utf8' });
  return Object.fromEntries([...stdout.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
}

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, ComposeService>;
    volumes: Record<string, unknown>;
  };
  const ours = ['migrate', 'web', 'worker'].map((name) => compose.services[name] as ComposeService);

  it('runs one web process and two workers after the migration, confined, with time to end', () => {
    expect(ours.map(({ environment, command, deploy }) => [environment?.['ROLE'], command, deploy?.replicas])).toEqual([
      [undefined, ['server/migrate.ts'], undefined],
      ['web', undefined, undefined],
      ['worker', undefined, 2],
    ]);
    for (const service of ours) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(STOP_SECONDS);
    }
    for (const service of ours.slice(1)) expect(service.depends_on).toHaveProperty('migrate');
  });

  it('sets settings that exist', () => {
    const names = ours.flatMap(({ environment }) => Object.keys(environment ?? {}));
    expect(names.filter((name) => !SETTINGS.has(name))).toEqual([]);
  });

  it('gives the settings in .env to every process of Carillon, and to nothing else', () => {
    const given = Object.entries(compose.services).filter(([, { env_file: files }]) => files !== undefined);
    const carillons = Object.entries(compose.services).filter(([, { image }]) => image.startsWith('${CARILLON_IMAGE'));
    expect(given.map(([name]) => name)).toEqual(['migrate', 'web', 'worker']);
    expect(carillons).toEqual(given);
    for (const [, { env_file: files }] of given) expect(files).toEqual([{ path: '.env', required: false }]);
  });

  it('starts with everything that .env may hold, and with the values of compose.yaml in its place', () => {
    const variable = /\$\{(\w+)[^}]*\}/g;
    const names = [...read('compose.yaml').matchAll(variable)].map(([, name = '']) => [name, 'any']);
    const settings = { SMTP_URL: 'smtp://mail.example', SMTP_FROM: 'bells@bells.example', ROLE: 'all' };
    const file: Record<string, string> = { ...Object.fromEntries(names), ...newSecrets(), ...settings };

    const configs = ours.map(({ environment = {} }) => {
      const own = Object.entries(environment).map(([name, value]) => [
        name,
        value.replaceAll(variable, (_all, used: string) => file[used] ?? ''),
      ]);
      return readConfig({ ...file, ...(Object.fromEntries(own) as Record<string, string>) });
    });

    expect(configs.map(({ role, publicUrl, mail }) => [role, publicUrl, mail?.from.address])).toEqual([
      ['all', 'https://bells.example', 'bells@bells.example'],
      ['web', 'https://bells.example', 'bells@bells.example'],
      ['worker', 'https://bells.example', 'bells@bells.example'],
    ]);
  });

  it('opens no port but those of the proxy, and declares each volume', () => {
    const open = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
    expect(open.map(([name]) => name)).toEqual(['caddy']);
    const named = Object.values(compose.services)
      .flatMap(({ volumes }) => volumes ?? [])
      .map((volume) => volume.split(':')[0] ?? '')
      .filter((volume) => !volume.startsWith('.'));
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
  });

  it('starts with the secrets that make-env.sh writes, and names them when they are missing', () => {
    const made = newSecrets();
    const needed = [...read('compose.yaml').matchAll(/\$\{(\w+):\?run deploy\/make-env\.sh first\}/g)];
    expect(Object.keys(made).toSorted()).toEqual([...new Set(needed.map(([, name = '']) => name))].toSorted());
    const { ENCRYPTION_KEYS, OPERATOR_TOKEN, BOOTSTRAP_LIVE_KEY } = made;
    const settings = { ENCRYPTION_KEYS, OPERATOR_TOKEN, BOOTSTRAP_LIVE_KEY };
    expect(Environment.partial().safeParse(settings).error).toBeUndefined();
  });
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Record<string, string>;
  readonly spec: {
    readonly selector?: { readonly matchLabels?: Record<string, string> };
    readonly template: {
      readonly metadata: { readonly labels: Record<string, string> };
      readonly spec: {
        readonly terminationGracePeriodSeconds?: number;
        readonly securityContext: unknown;
        readonly containers: readonly {
          readonly image: string;
          readonly args?: readonly string[];
          readonly env?: readonly { readonly name: string; readonly value: string }[];
          readonly securityContext: unknown;
          readonly volumeMounts?: readonly { readonly mountPath: string }[];
          readonly readinessProbe?: unknown;
          readonly livenessProbe?: unknown;
        }[];
      };
    };
  };
}

describe('the manifests', () => {
  const kustomization = parse(read('deploy/kubernetes/kustomization.yaml')) as {
    resources: string[];
    images: { name: string; newTag: string }[];
  };
  const manifests = kustomization.resources.flatMap((file) =>
    parseAllDocuments(read(`deploy/kubernetes/${file}`)).map((document) => document.toJS() as Manifest),
  );
  const running = manifests.filter(({ kind }) => ['Deployment', 'Job'].includes(kind));

  it('are all listed, with the image of this version', () => {
    const files = globSync('*.yaml', { cwd: join(ROOT, 'deploy/kubernetes') });
    expect([...kustomization.resources, 'kustomization.yaml'].toSorted()).toEqual(files.toSorted());
    expect(kustomization.images).toMatchObject([{ name: 'carillon', newTag: version }]);
  });

  it('keep the data in a separate folder, because a volume belongs to root', () => {
    const settings = manifests.find(({ kind }) => kind === 'ConfigMap');

    expect(settings?.data?.['DATA_DIR']).toBe('/data/carillon');
    for (const { metadata, spec } of running.filter(({ kind }) => kind === 'Deployment')) {
      const paths = spec.template.spec.containers.flatMap(({ volumeMounts }) =>
        volumeMounts?.map((one) => one.mountPath),
      );
      expect([metadata.name, paths]).toEqual([metadata.name, expect.arrayContaining(['/data'])]);
    }
  });

  it('run a migration, web processes and workers, each confined', () => {
    const containers = running.flatMap(({ metadata, spec }) =>
      spec.template.spec.containers.map(({ args, env }) => [metadata.name, args, env?.[0]?.value]),
    );
    expect(containers).toEqual([
      ['carillon-migrate', ['server/migrate.ts'], undefined],
      ['carillon-web', undefined, 'web'],
      ['carillon-worker', undefined, 'worker'],
    ]);
    for (const { spec } of running) {
      expect(spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 });
      for (const { securityContext } of spec.template.spec.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  it('probe what the server answers, give it time to end, and keep one of each while nodes are drained', () => {
    const deployments = running.filter(({ kind }) => kind === 'Deployment');
    for (const { spec } of deployments) {
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(STOP_SECONDS);
      for (const container of spec.template.spec.containers) {
        expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'http' } });
        expect(container.livenessProbe).toMatchObject({ httpGet: { path: '/livez', port: 'http' } });
      }
    }
    const budgets = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.map(({ spec }) => spec.selector?.matchLabels)).toEqual(
      deployments.map(({ spec }) => spec.template.metadata.labels),
    );
  });

  it('set settings that exist', () => {
    const named = manifests.flatMap(({ data }) => Object.keys(data ?? {}));
    const secret =
      read('deploy/kubernetes/settings.yaml')
        .split('apiVersion')[0]
        ?.match(/[A-Z]+(?:_[A-Z]+)+/g) ?? [];
    expect([...named, ...secret].filter((name) => !SETTINGS.has(name))).toEqual([]);
    expect(secret.length).toBeGreaterThan(4);
  });
});
