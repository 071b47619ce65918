/** What an API server would refuse, and what would keep the pods from starting (docs/guide/containers.md#kubernetes). */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../../server/config.ts';
import { Environment } from '../../server/settings.ts';
import { DECODER_MAX_MIB, DECODERS_MAX } from '../../services/images/image-work.ts';
import { startWorld } from '../harness/world.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'deploy/kubernetes');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const image =
  read('Dockerfile')
    .split(/^FROM /m)
    .at(-1) ?? '';

/** Variables that the image sets. */
const OF_THE_IMAGE = Object.fromEntries(
  [...(/^ENV (.*)$/m.exec(image)?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
) as Record<string, string>;

/** User and group of the image. */
const [USER, GROUP] = (/^USER (\d+):(\d+)$/m.exec(image) ?? []).slice(1).map(Number);

/** The most seconds that a process takes to end (server/start.ts). */
const STOP_SECONDS = Number(/STOP_TIMEOUT_MS = (\d+)_000/.exec(read('server/start.ts'))?.[1]);

/** Memory of a server process in MiB (docs/guide/deployment.md#memory). */
const SERVER_MIB = 450;

type Labels = Record<string, string>;
type Named = { readonly name: string };

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly (Named & { readonly value: unknown })[];
  readonly envFrom: readonly { readonly configMapRef?: Named; readonly secretRef?: Named }[];
  readonly ports?: readonly (Named & { readonly containerPort: number })[];
  readonly volumeMounts: readonly (Named & { readonly mountPath: string })[];
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly resources: Record<'requests' | 'limits', Record<string, string>>;
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Pod {
  readonly securityContext: Record<string, unknown>;
  readonly terminationGracePeriodSeconds?: number;
  readonly containers: readonly Container[];
  readonly volumes: readonly Named[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Record<string, unknown>;
  // eslint-disable-next-line typescript/no-explicit-any -- each kind has another one
  readonly spec: any;
}

function parseManifests(change: (text: string) => string = (text) => text): Manifest[] {
  return globSync('*.yaml', { cwd: FOLDER })
    .filter((file) => file !== 'kustomization.yaml')
    .flatMap((file) => parseAllDocuments(change(readFileSync(join(FOLDER, file), 'utf8'))))
    .map((document) => document.toJS() as Manifest);
}

const includes = (labels: Labels, selector: Labels) =>
  Object.entries(selector).length > 0 && Object.entries(selector).every(([name, value]) => labels[name] === value);

const probesOf = (container: Container) =>
  [container.startupProbe, container.readinessProbe, container.livenessProbe].filter((probe) => probe !== undefined);

const mebibytes = (quantity = '') => Number(/^(\d+)Mi$/.exec(quantity)?.[1]);

/** What is wrong, one line each. */
function problemsOf(manifests: readonly Manifest[]): string[] {
  const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
  const find = (kind: string, name: string | undefined) => ofKind(kind).find(({ metadata }) => metadata.name === name);
  const problems: string[] = [];
  const check = (isRight: boolean, problem: string) => void (isRight || problems.push(problem));
  const deployments = ofKind('Deployment');
  const selectedBy = (selector: Labels) =>
    deployments.filter(({ spec }) => includes(spec.template.metadata.labels as Labels, selector));

  const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  check(new Set(names).size === names.length, 'two objects have one name');

  for (const { metadata, spec } of deployments) {
    check(
      includes(spec.template.metadata.labels, spec.selector.matchLabels),
      `${metadata.name}: its selector misses its pods`,
    );
    check(selectedBy(spec.selector.matchLabels).length === 1, `${metadata.name}: its selector takes pods of another`);
  }
  for (const { metadata, spec } of [...deployments, ...ofKind('Job')]) {
    const pod = spec.template.spec as Pod;
    const wrong = (isRight: boolean, problem: string) => check(isRight, `${metadata.name}: ${problem}`);
    const volumes = pod.volumes.map(({ name }) => name).toSorted();
    const { runAsUser, runAsGroup, fsGroup } = pod.securityContext;
    wrong(runAsUser === USER && runAsGroup === GROUP, 'its user is not that of the image');
    wrong(fsGroup === GROUP, 'its user cannot write to its volumes');
    for (const container of pod.containers) {
      const ports = container.ports ?? [];
      const set = Object.fromEntries(
        container.envFrom.flatMap(({ configMapRef }) =>
          Object.entries(find('ConfigMap', configMapRef?.name)?.data ?? {}),
        ),
      );
      const own = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value]));
      const env = { ...OF_THE_IMAGE, ...set, ...own } as Record<string, string>;
      const mounted = container.volumeMounts.map(({ mountPath }) => mountPath);
      const { requests, limits } = container.resources;
      const seconds = Number(container.lifecycle?.preStop.exec.command.at(-1) ?? 0);

      wrong(
        container.volumeMounts
          .map(({ name }) => name)
          .toSorted()
          .join() === volumes.join(),
        'mounts and volumes differ',
      );
      wrong(
        container.envFrom.every(
          ({ configMapRef }) => configMapRef === undefined || find('ConfigMap', configMapRef.name) !== undefined,
        ),
        'its config map is missing',
      );
      wrong(
        container.envFrom.every(({ secretRef }) => secretRef === undefined || secretRef.name === 'carillon'),
        'its secret has not the name in the guide',
      );
      wrong(
        Object.values({ ...set, ...own }).every((value) => typeof value === 'string'),
        'a setting is no text',
      );
      wrong(
        Object.keys({ ...set, ...own }).every((name) => name in Environment.shape),
        'it sets what is no setting',
      );
      wrong(
        mounted.some((path) => env['DATA_DIR']?.startsWith(`${path}/`)),
        'DATA_DIR is on the read-only file system',
      );
      wrong(mounted.includes('/tmp'), '/tmp is on the read-only file system');
      wrong(
        probesOf(container).every(({ httpGet }) => ports.some(({ name }) => name === httpGet.port)),
        'a probe names no port',
      );
      wrong(
        ports.every(({ containerPort }) => String(containerPort) === env['PORT']),
        'it listens on another port',
      );
      wrong(mebibytes(requests['memory']) <= mebibytes(limits['memory']), 'it requests more memory than its limit');
      if (ports.length === 0) continue;
      wrong(env['HOST'] === '0.0.0.0', 'probes cannot reach it');
      wrong(
        mebibytes(limits['memory']) >= SERVER_MIB + DECODERS_MAX * DECODER_MAX_MIB,
        'large images exceed its memory',
      );
      wrong((pod.terminationGracePeriodSeconds ?? 30) > STOP_SECONDS + seconds, 'it is killed before it has ended');
    }
  }
  for (const { metadata, spec } of ofKind('PodDisruptionBudget')) {
    const [deployment, ...others] = selectedBy(spec.selector.matchLabels);
    check(deployment !== undefined && others.length === 0, `budget ${metadata.name}: it is not of one deployment`);
    check(spec.minAvailable < (deployment?.spec.replicas ?? 0), `budget ${metadata.name}: nodes can never be drained`);
  }
  for (const { metadata, spec } of ofKind('Service')) {
    const ports = selectedBy(spec.selector).flatMap(({ spec: { template } }) =>
      (template.spec as Pod).containers.flatMap((one) => one.ports ?? []),
    );
    for (const { targetPort } of spec.ports)
      check(
        ports.some(({ name }) => name === targetPort),
        `service ${metadata.name}: no pod has its port`,
      );
  }
  for (const { metadata, spec } of ofKind('Ingress')) {
    const secured = spec.tls.flatMap(({ hosts }: { hosts: string[] }) => hosts);
    for (const { host, http } of spec.rules) {
      check(secured.includes(host), `ingress ${metadata.name}: ${host} has no certificate`);
      check(
        find('ConfigMap', 'carillon')?.data?.['PUBLIC_URL'] === `https://${host}`,
        `ingress ${metadata.name}: ${host} is not PUBLIC_URL`,
      );
      for (const { backend } of http.paths) {
        const service = find('Service', backend.service.name);
        check(
          service?.spec.ports.some(({ name }: Named) => name === backend.service.port.name) ?? false,
          `ingress ${metadata.name}: no service has its port`,
        );
      }
    }
  }
  return problems;
}

it('fit each other, the image and the settings', () => {
  expect(problemsOf(parseManifests())).toEqual([]);
});

it.each([
  ['component: web } }\n  strategy', 'component: webs } }\n  strategy', 'carillon-web: its selector misses its pods'],
  ['fsGroup: 10001', 'fsGroup: 1000', 'carillon-web: its user cannot write to its volumes'],
  ['- { name: tmp, emptyDir: {} }', '', 'carillon-web: mounts and volumes differ'],
  ['path: /readyz, port: http', 'path: /readyz, port: web', 'carillon-web: a probe names no port'],
  ['containerPort: 3000', 'containerPort: 8080', 'carillon-web: it listens on another port'],
  ['configMapRef: { name: carillon }', 'configMapRef: { name: bells }', 'carillon-web: its config map is missing'],
  ["TRUST_PROXY: '1'", 'TRUST_PROXY: 1', 'carillon-web: a setting is no text'],
  ['name: ROLE', 'name: ROLES', 'carillon-web: it sets what is no setting'],
  ['/data/carillon', '/var/carillon', 'carillon-web: DATA_DIR is on the read-only file system'],
  ['memory: 2560Mi', 'memory: 512Mi', 'carillon-web: large images exceed its memory'],
  [
    'terminationGracePeriodSeconds: 30',
    'terminationGracePeriodSeconds: 15',
    'carillon-web: it is killed before it has ended',
  ],
  ['minAvailable: 1', 'minAvailable: 2', 'budget carillon-web: nodes can never be drained'],
  ['targetPort: http', 'targetPort: 80', 'service carillon: no pod has its port'],
  ['port: { name: http }', 'port: { name: https }', 'ingress carillon: no service has its port'],
  ['host: bells.example', 'host: tower.example', 'ingress carillon: tower.example has no certificate'],
])('are checked: %j must not be %j', (right, wrong, problem) => {
  expect(problemsOf(parseManifests((text) => text.replaceAll(right, wrong)))).toContain(problem);
});

it('have settings with which each role starts, and probes that it answers', async () => {
  const manifests = parseManifests();
  const settings = manifests.find(({ kind }) => kind === 'ConfigMap')?.data as Record<string, string>;
  const secrets = {
    DATABASE_URL: 'postgres://carillon:secret@db.internal:5432/carillon',
    ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
    OPERATOR_TOKEN: 'operator-token-of-at-least-32-characters',
    BOOTSTRAP_LIVE_KEY: `crl_live_${'L'.repeat(40)}`,
  };
  const containers = manifests
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap(({ spec }) => (spec.template.spec as Pod).containers);
  const roles = containers.map(({ env = [] }) => {
    const own = Object.fromEntries(env.map(({ name, value }) => [name, String(value)]));
    return readConfig({ ...OF_THE_IMAGE, ...settings, ...secrets, ...own }).role;
  });
  const world = await startWorld();
  const paths = new Set(containers.flatMap((container) => probesOf(container).map(({ httpGet }) => httpGet.path)));
  const statuses = await Promise.all([...paths].map(async (path) => (await fetch(`${world.url}${path}`)).status));

  expect(roles).toEqual(['web', 'worker']);
  expect([[...paths].toSorted(), statuses]).toEqual([
    ['/livez', '/readyz'],
    [200, 200],
  ]);
});
