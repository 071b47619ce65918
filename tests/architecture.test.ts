/** Architecture rules: which layer may import which, and which layers may use which words. */
import { describe, expect, it } from 'vitest';
import { ADVISORY_LOCKS } from '../entities/advisory-locks.ts';
import { sourceFiles } from './harness/sources.ts';

const files = sourceFiles();

/** Layers that each layer may import from. A layer may always import from itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  errors: [],
  entities: ['platforms'],
  platforms: ['errors'],
  services: ['entities', 'platforms', 'errors'],
  jobs: ['services', 'entities', 'errors'],
  routers: ['services', 'entities', 'errors'],
  mcp: ['routers', 'services', 'errors'],
  console: ['services', 'routers', 'errors'],
  server: ['mcp', 'routers', 'jobs', 'services', 'platforms', 'entities', 'errors', 'console'],
  client: ['routers', 'errors'],
  cli: ['server', 'services'],
};

/** Lines of product code that match a pattern, as `path: line`. */
function linesMatching(pattern: RegExp, skip: (path: string) => boolean = () => false): string[] {
  return files
    .filter((file) => !skip(file.path))
    .flatMap((file) => file.text.split('\n').map((line) => ({ path: file.path, line })))
    .filter(({ line }) => pattern.test(line) && !/^\s*(\/\/|\*|\/\*)/.test(line))
    .map(({ path, line }) => `${path}: ${line.trim()}`);
}

describe('layers', () => {
  it('import only from the layers below them', () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .map((imported) => ({ ...imported, room: imported.path.split('/')[0] ?? '' }))
        .filter(({ room }) => room !== file.room && !room.endsWith('.json') && !MAY_IMPORT[file.room]?.includes(room))
        .map(({ path }) => `${file.path} imports ${path}`),
    );

    expect(wrong).toEqual([]);
  });

  it('entities know platforms by type only', () => {
    const wrong = files
      .filter((file) => file.room === 'entities')
      .flatMap((file) => file.imports.filter(({ path, typeOnly }) => path.startsWith('platforms/') && !typeOnly))
      .map(({ path }) => path);

    expect(wrong).toEqual([]);
  });

  it('a platform never imports another platform', () => {
    const folderOf = (path: string) => /^platforms\/([^/]+)\//.exec(path)?.[1];
    const wrong = files
      .filter((file) => folderOf(file.path) !== undefined)
      .flatMap((file) =>
        file.imports
          .filter(({ path }) => folderOf(path) !== undefined && folderOf(path) !== folderOf(file.path))
          .map(({ path }) => `${file.path} imports ${path}`),
      );

    expect(wrong).toEqual([]);
  });

  it('services do not depend on HTTP servers, tRPC or Agenda', () => {
    const wrong = linesMatching(/from '(express|@trpc\/|agenda|@agendajs\/)/, (path) => !path.startsWith('services/'));

    expect(wrong).toEqual([]);
  });

  it('only the image process loads the image decoder', () => {
    const decoding = ['services/media/inspect-image.ts', 'services/media/convert-image.ts'];
    const loads = files.flatMap((file) =>
      file.imports.filter(({ path, typeOnly }) => decoding.includes(path) && !typeOnly).map(() => file.path),
    );

    expect([...new Set(loads)]).toEqual(['server/image-worker.ts']);
    expect(linesMatching(/from 'sharp'/, (path) => [...decoding, 'server/image-worker.ts'].includes(path))).toEqual([]);
  });

  it('platforms do not depend on the database', () => {
    expect(linesMatching(/mikro-orm|kysely|pglite/, (path) => !path.startsWith('platforms/'))).toEqual([]);
  });
});

describe('platform names', () => {
  it('only platforms/ refers to a platform by name', () => {
    const byName =
      /(platformId|platform\.id|platform_id)\s*[!=]==?\s*'|case '(bluesky|mastodon|linkedin|facebook|instagram|threads|x|reddit|telegram|discord|slack|sms|email|sandbox)'/;

    expect(linesMatching(byName, (path) => path.startsWith('platforms/'))).toEqual([]);
  });
});

describe('time, randomness and network', () => {
  const ORIGINS = [
    'server/clocks.ts',
    'server/context.ts',
    'server/outbound.ts',
    'server/outbound-connect.ts',
    'server/receiver-agents.ts',
    'server/receiver-post.ts',
    'client/verify-webhook.ts',
    'server/http-server.ts',
  ];
  const elsewhere = (path: string) => ORIGINS.includes(path) || path.startsWith('console/assets/app/');

  it('are injected: only the listed modules read the system clock', () => {
    expect(linesMatching(/new Date\(\)|Date\.now\(|Temporal\.Now/, elsewhere)).toEqual([]);
  });

  it('only the listed modules generate random values', () => {
    expect(linesMatching(/Math\.random|randomUUID|randomBytes/, elsewhere)).toEqual([]);
  });

  it('only the listed modules open network connections', () => {
    expect(
      linesMatching(/(?<![.\w])fetch\(|import (?!type).*from '(node:https?|undici)'/, (path) => elsewhere(path)),
    ).toEqual([]);
  });
});

describe('files', () => {
  it('begin with a comment that states their purpose', () => {
    expect(files.filter((file) => !file.text.startsWith('/**')).map((file) => file.path)).toEqual([]);
  });

  it('stay below 300 lines', () => {
    const long = files.filter((file) => !file.path.includes('/migrations/') && file.text.split('\n').length > 300);

    expect(long.map((file) => file.path)).toEqual([]);
  });

  it('hold no work notes, which belong in issues', () => {
    expect(linesMatching(/\b(TODO|FIXME|XXX|HACK)\b/)).toEqual([]);
  });
});

describe('advisory locks', () => {
  it('have one table, and each its number', () => {
    const numbers = Object.values(ADVISORY_LOCKS);

    expect(new Set(numbers).size).toBe(numbers.length);
    expect(linesMatching(/\b4_221_\d{3}\b/, (path) => path === 'entities/advisory-locks.ts')).toEqual([]);
    expect(linesMatching(/advisory_(xact_)?lock\((?!\?|\$1)/)).toEqual([]);
  });
});

describe('names', () => {
  const METAPHORS = /desk|lane(?!t)|door|hears|hearer|reseal|standing|foresee|prospect|forgive|keeper|nobody|whoever/i;

  it('of files and of what they export are terms of the field', () => {
    const exported = files.flatMap((file) =>
      [...file.text.matchAll(/^export (?:async )?(?:function|const|interface|type|class) (\w+)/gm)].map(
        ([, name = '']) => ({ path: file.path, name }),
      ),
    );

    expect(files.map(({ path }) => path).filter((path) => METAPHORS.test(path))).toEqual([]);
    expect(exported.filter(({ name }) => METAPHORS.test(name))).toEqual([]);
  });
});
