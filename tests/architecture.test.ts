/** Architecture rules: which layer may import which, and which layers may use which words. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ADVISORY_LOCKS } from '../entities/advisory-locks.ts';
import { createRegistry, PLATFORM_IDS, PLATFORM_SETTINGS } from '../platforms/registry.ts';
import { identifiersOf, wordsOfName } from './harness/identifiers.ts';
import { folderOf, importCycles, importedThrough } from './harness/import-cycles.ts';
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
  client: ['routers', 'services', 'errors'],
  cli: ['server', 'services', 'errors', 'client'],
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
        .map((imported) => ({ ...imported, layer: imported.path.split('/')[0] ?? '' }))
        .filter(
          ({ layer }) => layer !== file.layer && !layer.endsWith('.json') && !MAY_IMPORT[file.layer]?.includes(layer),
        )
        .map(({ path }) => `${file.path} imports ${path}`),
    );

    expect(wrong).toEqual([]);
  });

  it('the console app knows the service by the types of its router and the table of errors', () => {
    const isAllowed = (path: string, typeOnly: boolean) =>
      path.startsWith('console/app/') ||
      path.startsWith('client/') ||
      path === 'errors/codes.ts' ||
      (typeOnly && (path === 'routers/console.ts' || path === 'console/connect-fields.ts'));
    const wrong = files
      .filter((file) => file.path.startsWith('console/app/'))
      .flatMap((file) => file.imports.filter(({ path, typeOnly }) => !isAllowed(path, typeOnly)))
      .map(({ path }) => path);

    expect(wrong).toEqual([]);
  });

  it('the client knows the service by types only, in one file that its build replaces', () => {
    const outside = files
      .filter((file) => file.layer === 'client')
      .flatMap((file) => file.imports.map((imported) => ({ from: file.path, ...imported })))
      .filter(({ path }) => !path.startsWith('client/'));

    expect(outside.filter(({ typeOnly }) => !typeOnly)).toEqual([]);
    expect([...new Set(outside.map(({ from }) => from))]).toEqual(['client/api-types.ts']);
  });

  it('entities know platforms by type only', () => {
    const wrong = files
      .filter((file) => file.layer === 'entities')
      .flatMap((file) => file.imports.filter(({ path, typeOnly }) => path.startsWith('platforms/') && !typeOnly))
      .map(({ path }) => path);

    expect(wrong).toEqual([]);
  });

  it('a platform never imports another platform', () => {
    // A folder without index.ts is no platform but an API that several share.
    const folders = new Set(files.flatMap(({ path }) => /^platforms\/([^/]+)\/index\.ts$/.exec(path)?.[1] ?? []));
    const platformOf = (path: string) => [...folders].find((folder) => path.startsWith(`platforms/${folder}/`));
    const wrong = files
      .filter((file) => platformOf(file.path) !== undefined)
      .flatMap((file) =>
        file.imports
          .filter(({ path }) => platformOf(path) !== undefined && platformOf(path) !== platformOf(file.path))
          .map(({ path }) => `${file.path} imports ${path}`),
      );

    expect(wrong).toEqual([]);
  });

  it('services do not depend on HTTP servers, tRPC or Agenda', () => {
    const wrong = linesMatching(/from '(express|@trpc\/|agenda|@agendajs\/)/, (path) => !path.startsWith('services/'));

    expect(wrong).toEqual([]);
  });

  it('only the image process loads the image decoder', () => {
    const decoding = ['services/images/inspect-image.ts', 'services/images/convert-image.ts'];
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

describe('the core of platforms', () => {
  const core = files.filter(({ path }) => /^platforms\/[^/]+\.ts$/.test(path) && path !== 'platforms/registry.ts');
  const settings = PLATFORM_SETTINGS.flatMap(({ app, endpoints, fees }) =>
    Object.keys({ ...app?.settings, ...endpoints, ...fees }),
  );
  /** Ids, display names, and what the names of settings begin with. */
  const vendors = new Set<string>([
    ...PLATFORM_IDS,
    ...Object.values(createRegistry({} as never)).map(({ name }) => name.toLowerCase()),
    ...settings.map((name) => name.split('_')[0]?.toLowerCase() ?? ''),
  ]);

  /** The words of a line, with the parts of each identifier apart. Escapes and names of headers have no words. */
  const wordsOf = (line: string) =>
    line
      .replace(/\\x[\da-f]{2}|'x-[\w-]+'/gi, '')
      .replace(/linkedin/gi, ' Linkedin ')
      .match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  const namesIn = (text: string) =>
    text.split('\n').flatMap((line) =>
      wordsOf(line)
        .filter((word) => vendors.has(word.toLowerCase()))
        .map(() => line.trim()),
    );

  it('names no platform: not in code, strings or comments', () => {
    expect(core.length).toBeGreaterThan(20);
    expect(core.flatMap(({ path, text }) => namesIn(text).map((line) => `${path}: ${line}`))).toEqual([]);
  });

  it.each(["unit: 'x_weighted'", 'const linkedInApp = null;', "const URL = 'X_API_URL';", '/** As on Slack. */'])(
    'finds the name in %j',
    (line) => {
      expect(namesIn(line)).toEqual([line]);
    },
  );

  it('imports no folder', () => {
    const wrong = core.flatMap(({ path, imports }) =>
      imports.filter((imported) => /^platforms\/[^/]+\//.test(imported.path)).map((one) => `${path}: ${one.path}`),
    );

    expect(wrong).toEqual([]);
  });
});

describe('queries', () => {
  it('are typed: raw SQL is run by statements only, and a test compares those with the schema', () => {
    const runsSql = (path: string) =>
      [
        'entities/statement.ts',
        'entities/tables.ts',
        'entities/any-of.ts',
        'entities/composed-query.ts',
        // Asks each new connection about itself, before any statement.
        'entities/preparing-client.ts',
      ].includes(path);

    const raw =
      /\bCompiledQuery\b|\bgetKysely\b|\bsql`|\bsql\.(?:raw|id|ref|table)\b|\bem\.execute\(|\bem\.getConnection\(/;
    expect(linesMatching(raw, (path) => runsSql(path) || path.startsWith('entities/migrations/'))).toEqual([]);
  });

  it('are composed for a request by the list of posts and its search alone', () => {
    const composing = files.filter(({ imports }) => imports.some(({ path }) => path === 'entities/composed-query.ts'));

    expect(composing.map(({ path }) => path)).toEqual([
      'services/posts/list-posts.ts',
      'services/posts/read-matches.ts',
      'services/posts/search-posts.ts',
      'services/posts/search-survey.ts',
    ]);
  });
});

describe('import cycles, type imports included', () => {
  it('do not exist between files', () => {
    expect(importCycles(files, (path) => path)).toEqual([]);
  });

  it('do not exist between folders', () => {
    expect(importCycles(files, folderOf)).toEqual([]);
  });
});

describe('the Context', () => {
  it('imports only ports: none of its types comes from a use case', () => {
    const ports = /^services\/(?:(?:clock|config)\.ts$|ports\/|images\/)/;
    const services = importedThrough(files, 'services/context.ts').filter((path) => path.startsWith('services/'));

    expect(services.filter((path) => !ports.test(path))).toEqual([]);
  });
});

describe('platform names', () => {
  it('only platforms/ refers to a platform by name', () => {
    const byName = new RegExp(
      `(platformId|platform\\.id|platform_id)\\s*[!=]==?\\s*'|case '(${PLATFORM_IDS.join('|')})'`,
    );

    expect(linesMatching(byName, (path) => path.startsWith('platforms/'))).toEqual([]);
  });
});

describe('time, randomness and network', () => {
  /** Runs in the browser, where nothing is injected. */
  const isBrowser = (path: string) => /^console\/(app|assets\/scripts)\//.test(path);
  /** The defaults of the client package, which runs outside of the service. */
  const isOfClient = (path: string) => path === 'client/runtime.ts';
  const elsewhere = (origins: readonly string[]) => (path: string) =>
    origins.includes(path) || isBrowser(path) || isOfClient(path);

  it('are injected: only the listed modules read a system clock', () => {
    const clock =
      /new Date\b(?!\(\s*[^\s)])|\bDate\.now\b|\bperformance\b|perf_hooks|\bhrtime\b|Temporal\.Now|\.uptime\(/;

    expect(
      linesMatching(clock, elsewhere(['server/clocks.ts', 'client/verify-webhook.ts', 'jobs/agenda-pool.ts'])),
    ).toEqual([]);
  });

  it('only the server sets timers, for its sockets; the rest waits with the injected clock', () => {
    const timer = /\bset(?:Timeout|Interval)\b|AbortSignal\.timeout|node:timers/;

    expect(linesMatching(timer, (path) => path.startsWith('server/') || isBrowser(path) || isOfClient(path))).toEqual(
      [],
    );
  });

  it('only the listed modules generate random values', () => {
    expect(linesMatching(/Math\.random|randomUUID|randomBytes/, elsewhere(['server/system-random.ts']))).toEqual([]);
  });

  it('only the listed modules open network connections', () => {
    const transports = [
      'server/outbound.ts',
      'server/outbound-connect.ts',
      'server/outbound-socket.ts',
      'server/receiver-connections.ts',
      'server/receiver-post.ts',
      'server/http-server.ts',
      'cli/receive-redirect.ts',
    ];
    const connects = /(?<![.\w])fetch\(|import (?!type).*from '(node:https?|undici)'/;

    expect(linesMatching(connects, elsewhere(transports))).toEqual([]);
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
    expect(linesMatching(/advisory_(xact_)?lock\((?!\?|\$\{)/)).toEqual([]);
  });
});

describe('names', () => {
  /** Metaphors and archaic words. docs/glossary.md has the terms to use instead. */
  const BANNED = new Set(
    [
      'anew bare became become becomes desk desks dice doomed door doors eased essence fate foresee forgive haunted hear',
      'heard hearer hearing hears house judge judged judges keeper kin lane lanes mirror nobody nobodys prospect reseal',
      'ring room rooms sought spoken stand standing stands tell tells tidy told whatever whoever',
    ].flatMap((line) => line.split(' ')),
  );
  const PHRASES = /(^|_)(draws?_up|drawn_up|gives?_back|in_doubt|on_its_way|take_try|under_way)(_|$)/;
  const isBanned = (name: string) => {
    const words = wordsOfName(name);
    return words.some((word) => BANNED.has(word)) || PHRASES.test(words.join('_'));
  };
  /** Parsing is slow, so only a source that has a banned word anywhere is parsed. */
  const bannedIn = (source: string, lang: 'ts' | 'tsx' = 'ts') => {
    const hasBanned = [...new Set(source.match(/[A-Za-z_$][\w$]*/g))].some(isBanned);
    return hasBanned ? [...identifiersOf(source, lang)].filter(isBanned) : [];
  };
  const all = globSync(
    '{bench,cli,client,console,entities,errors,jobs,mcp,platforms,routers,server,services,tests}/**/*.{ts,tsx}',
  )
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !/^client\/dist\/|\/node_modules\//.test(file));

  it('of files are terms of the field', () => {
    expect(all.filter((file) => isBanned(file))).toEqual([]);
  });

  it('of variables, functions, types and properties are terms of the field, in the product and in its tests', () => {
    const wrong = all.flatMap((file) =>
      bannedIn(readFileSync(file, 'utf8'), file.endsWith('x') ? 'tsx' : 'ts').map((name) => `${file}: ${name}`),
    );

    expect(wrong).toEqual([]);
  });

  it.each([
    ['a variable', 'const sendDesk = 1;'],
    ['a parameter', 'function f({ a: lane }: Input) {}'],
    ['a type', 'interface HearsEvents { id: string }'],
    ['a property', 'const row = { toldBy: 1 };'],
    ['a private field', 'class Sender { #room = 1; }'],
    ['a phrase', 'const isUnderWay = true;'],
  ])('are checked in %s', (_what, source) => {
    expect(bannedIn(source)).toHaveLength(1);
  });

  it('are not checked in texts and comments', () => {
    const source = "/* told */ const text = 'nobody'; // desk\nconst other = `whatever ${text}`;";

    expect([...identifiersOf(source)]).toEqual(['text', 'other']);
  });
});
