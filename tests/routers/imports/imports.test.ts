/** Imports of posts: what a file may look like, what each row becomes, and that nothing is created twice. */
import { describe, expect, it } from 'vitest';
import { releaseImport } from '../../../services/imports/claim-import.ts';
import { runImports } from '../../../services/imports/run-imports.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { withResults } from '../../harness/interleave.ts';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { refusal, UUID } from '../../harness/expected.ts';
import { serveImage, startSlowImage } from '../../harness/served-images.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const DAY_MS = 86_400_000;
const iso = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();

// eslint-disable-next-line typescript/no-explicit-any -- answers of the API
type Answer = any;

async function start(key: string, body: object): Promise<{ status: number; body: Answer }> {
  return world.rest('POST /imports', { key, body: { format: 'csv', ...body } });
}

async function rowsOf(key: string, importId: string): Promise<Answer[]> {
  return (await world.rest(`GET /imports/${importId}?limit=100`, { key })).body.rows;
}

async function importFile(key: string, body: object) {
  const started = await start(key, body);
  if (started.status !== 200) throw new Error(JSON.stringify(started.body));
  await world.runDue();
  const { id } = started.body.import;
  return { id, ...(await world.rest(`GET /imports/${id}?limit=100`, { key })).body };
}

/** @returns id of the import */
async function sendRows(key: string, rows: readonly object[]): Promise<string> {
  return (await start(key, { format: 'json', content: JSON.stringify(rows) })).body.import.id;
}

async function textsOf(key: string): Promise<string[]> {
  const { posts } = (await world.rest('GET /posts?limit=100', { key })).body;
  return posts.map(({ text }: { text: string }) => text).toSorted();
}

describe('a CSV file', () => {
  it('becomes posts with everything that its columns name', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const day = { weekday: 1, time: '09:00' };
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { timezone: 'UTC', slots: [day] } });
    const url = await serveImage();
    const wall = iso(2 * DAY_MS).slice(0, 16);
    const content = [
      '\uFEFFtext;connections;scheduledFor;timezone;queue;draft;tags;images;altTexts;thread;text.sandbox',
      `"Ding; ""quoted""\nsecond line";sandbox;${wall};Europe/Paris;;;a, b;${url};A bell;"Reply 1\n---\nReply 2";`,
      'Queued;sandbox;;;yes;;;;;;',
      'A draft;sandbox;;;;yes;;;;;"For the sandbox"',
      'Untimed;sandbox;;;;;;;;;',
      '',
    ].join('\r\n');

    const { import: one, rows } = await importFile(key, { content, name: 'Plan' });

    expect(rows.map(({ row, status, error }: Answer) => [row, status, error])).toEqual(
      [1, 2, 3, 4].map((row) => [row, 'created', null]),
    );
    expect(one).toMatchObject({
      name: 'Plan',
      status: 'done',
      rows: 4,
      error: null,
      counts: { pending: 0, valid: 0, created: 4, skipped: 0, failed: 0 },
    });
    const [first, second, third, fourth] = await Promise.all(
      rows.map(async ({ results }: Answer) => (await world.rest(`GET /posts/${results[0].postId}`, { key })).body.post),
    );
    expect(first).toMatchObject({
      text: 'Ding; "quoted"\nsecond line',
      status: 'scheduled',
      tags: ['a', 'b'],
      thread: ['Reply 1', 'Reply 2'],
      media: [{ altText: 'A bell', contentType: 'image/png' }],
    });
    expect(new Date(first.scheduledFor).getTime()).toBe(Date.parse(`${wall}Z`) - 3_600_000);
    expect(second).toMatchObject({ text: 'Queued', status: 'scheduled' });
    expect(third).toMatchObject({ text: 'For the sandbox', status: 'draft' });
    expect(fourth).toMatchObject({ text: 'Untimed', status: 'draft' });
  });

  it('may have as many spaces as it has characters, each of which is read once', async () => {
    const { key } = await accountWithSandbox(world);
    const content = `text,connections,images,altTexts\nDing,sandbox,https://127.0.0.1/x.png,${' '.repeat(990_000)}x |\n`;

    const { rows } = await importFile(key, { content, dryRun: true });

    expect(rows).toMatchObject([{ row: 1, status: 'valid' }]);
  });

  it('may name as many columns as it has characters for, each of which is compared once', async () => {
    const { key } = await accountWithSandbox(world);
    const letter = (index: number) => String.fromCharCode(97 + (index % 26));
    const names = Array.from(
      { length: 90_000 },
      (_, index) => `text.${[1, 26, 676, 17_576].map((step) => letter(Math.floor(index / step))).join('')}`,
    );

    const { rows } = await importFile(key, { content: `${names.join(',')}\nDing\n`, dryRun: true });

    expect(rows).toMatchObject([{ row: 1, status: 'failed', error: { code: 'invalid_request' } }]);
  }, 8_000);

  it('may have a separator at the end of each line', async () => {
    const { key } = await accountWithSandbox(world);

    const { rows } = await importFile(key, { content: 'text,connections,,\nDing,sandbox,,\n', dryRun: true });

    expect(rows).toMatchObject([{ row: 1, status: 'valid', error: null }]);
  });

  it('may have a row with an unquoted comma, which fails alone, also below a separator at the end of the header', async () => {
    const { key } = await accountWithSandbox(world);
    const content = 'text,connections,\nHello, world,sandbox,\nGood morning,sandbox,\n';

    const { rows } = await importFile(key, { content });

    const message = 'The row cannot be read: it has 4 fields, and the header 3. Quote fields that have commas.';
    expect(rows.map(({ row, status, error }: Answer) => [row, status, error])).toEqual([
      [1, 'failed', { code: 'invalid_request', message }],
      [2, 'created', null],
    ]);
  });

  it.each([
    [
      'has unknown columns',
      'text,scheduleFor\nDing,x\n',
      /^content: unknown columns: "scheduleFor"\. The columns are text, profileId, scheduledFor/,
    ],
    [
      'has an unknown column without cells',
      'text,scheduleFor\nDing,\n',
      /^content: unknown columns: "scheduleFor"\. The columns are text, profileId, scheduledFor/,
    ],
    ['has cells below no name', 'text,\nDing,x\n', /^content: unknown columns: ""\. The columns are text/],
    [
      'has an unknown column with an emoji where its name is cut',
      `text,${'x'.repeat(59)}🔔${'x'.repeat(9)}\nDing,\n`,
      /^content: unknown columns: "x{59}🔔"\. The columns are text/u,
    ],
    ['has an open quote', 'text\n"Ding\n', /^content: it is not valid CSV: Quote Not Closed/],
    ['has no rows', 'text,connections\n', /^content: the file has no rows\.$/],
    ['has a column twice', 'text,text\nA,B\n', /^content: the column "text" is named twice\.$/],
    [
      'has more than 1,000 rows',
      `text\n${'Ding\n'.repeat(1_001)}`,
      /^content: the file has more than 1000 rows\. Split it/,
    ],
  ])('that %s is refused as a whole', async (_case, content, message) => {
    const { key } = await accountWithSandbox(world);

    const { status, body } = await start(key, { content });

    expect([status, body]).toEqual([400, refusal('invalid_request', expect.stringMatching(message))]);
    expect((await world.rest('GET /imports', { key })).body.imports).toEqual([]);
  });

  it('reports each row that cannot be posted, and posts the others', async () => {
    const { key } = await accountWithSandbox(world);
    const content = [
      'text,connections,scheduledFor,queue',
      'Good,sandbox,,',
      ',sandbox,,',
      'Past,sandbox,2020-01-01T00:00:00Z,',
      'Unknown,nobody,,',
      'No switch,sandbox,,maybe',
      'Br\uFFFDken,sandbox,,',
      'a,b,c,d,e',
      `${'x'.repeat(501)},sandbox,,`,
    ].join('\n');

    const { rows } = await importFile(key, { content });

    expect(rows.map(({ row, status, error }: Answer) => [row, status, error?.code ?? null])).toEqual([
      [1, 'created', null],
      [2, 'failed', 'invalid_request'],
      [3, 'failed', 'invalid_request'],
      [4, 'failed', 'invalid_connection'],
      [5, 'failed', 'invalid_request'],
      [6, 'failed', 'invalid_request'],
      [7, 'failed', 'invalid_request'],
      [8, 'failed', 'platform_rejected'],
    ]);
    const messages = rows.map(({ error }: Answer) => error?.message);
    expect(messages[1]).toContain('text: expected');
    expect(messages[4]).toContain('queue: expected');
    expect(messages[5]).toBe('The row has characters that could not be read: save the file as UTF-8.');
    expect(messages[6]).toBe(
      'The row cannot be read: it has 5 fields, and the header 4. Quote fields that have commas.',
    );
    expect(await textsOf(key)).toEqual(['Good']);
  });
});

describe('a file that begins with blank lines', () => {
  it.each([',', ';', '\t'])('is separated by what its header has: %j', async (delimiter) => {
    const { key } = await accountWithSandbox(world);
    const content = `\n  \r\n${['text', 'connections', 'draft'].join(delimiter)}\n${['Hi', 'sandbox', 'yes'].join(delimiter)}\n`;

    expect((await importFile(key, { content })).import).toMatchObject({ counts: { created: 1 } });
  });
});

describe('a JSON file', () => {
  it.each([
    ['an array', (rows: object[]) => JSON.stringify(rows)],
    ['one object a line', (rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\r\n')],
  ])('of %s takes the body of POST /posts in each row, with defaults of the import', async (_form, write) => {
    const { key } = await accountWithSandbox(world);
    await connectSandbox(world, { key, slug: 'second' });
    const rows = [
      { text: 'Own', connectionSlugs: ['second'], isDraft: true, textByPlatform: { sandbox: 'For it' } },
      { text: 'Default', scheduledFor: iso(DAY_MS).slice(0, 16) },
      { text: 'Now' },
      { text: 'Wrong', schedule: 'x' },
    ];

    const defaults = { connectionSlugs: ['sandbox', 'second'], timezone: 'UTC', untimed: 'now' };
    const answer = await importFile(key, { format: 'json', content: write(rows), ...defaults });

    expect(
      answer.rows.map(({ results, error }: Answer) => [
        error?.code ?? null,
        results.map(({ connectionSlug, status }: Answer) => `${connectionSlug} ${status}`),
      ]),
    ).toEqual([
      [null, ['second draft']],
      [null, ['sandbox scheduled', 'second scheduled']],
      [null, ['sandbox sent', 'second sent']],
      ['invalid_request', []],
    ]);
  });
});

describe('a row that is nested deeply', () => {
  it('is the only one of its file that fails', async () => {
    const { key } = await accountWithSandbox(world);
    // JSON.stringify takes its slow way, which has a limit of depth, for an object with a number as a name.
    const deep = `{"text":"Deep","0":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    const content = `[{"text":"Good"},${deep}]`;

    const { rows } = await importFile(key, { format: 'json', content, connectionSlugs: ['sandbox'] });

    expect(rows.map(({ status, error }: Answer) => [status, error])).toEqual([
      ['created', null],
      [
        'failed',
        {
          code: 'invalid_request',
          message: expect.stringMatching(/^0(\.0)+: expected at most 32 levels of nesting\.$/),
        },
      ],
    ]);
    expect(await textsOf(key)).toEqual(['Good']);
  });
});

describe('the limit of running imports', () => {
  it('holds also for a file that goes on with an import that ended', async () => {
    const { key } = await accountWithSandbox(world);
    const rows = (name: number | string) => [{ text: `Import ${name}`, isDraft: true, connectionSlugs: ['sandbox'] }];
    const body = { format: 'json', content: JSON.stringify(rows('first')) };
    const first = (await start(key, body)).body.import.id;
    await world.rest(`POST /imports/${first}/cancel`, { key, body: {} });
    for (let number = 0; number < 10; number += 1) await sendRows(key, rows(number));

    const refused = await start(key, body);
    await world.runDue();
    const continued = await start(key, body);

    expect([refused.status, refused.body]).toEqual([
      403,
      refusal('limit_exceeded', expect.stringContaining('has 10 running imports; the limit is 10')),
    ]);
    expect(continued.body.import).toMatchObject({ id: first, status: 'running' });
  });
});

describe('the profile of an import', () => {
  it('is that of a row whose profile is null, which is left out', async () => {
    const { key, id: accountId } = await accountWithSandbox(world);
    const { id: profileId } = await world.profile('Tower', accountId);
    await connectSandbox(world, { key, slug: 'sandbox', profileId });
    const rows = [
      { text: 'Left out', isDraft: true },
      { text: 'Null', isDraft: true, profileId: null },
    ];

    const body = { format: 'json', content: JSON.stringify(rows), connectionSlugs: ['sandbox'], profileId };
    const answer = await importFile(key, body);

    expect(answer.rows.map(({ status }: Answer) => status)).toEqual(['created', 'created']);
    const { posts } = (await world.rest('GET /posts', { key })).body;
    expect(posts.map((post: Answer) => [post.text, post.profileId])).toEqual([
      ['Null', profileId],
      ['Left out', profileId],
    ]);
  });
});

describe('text that cannot be stored', () => {
  it('is an error of its row', async () => {
    const { key } = await accountWithSandbox(world);
    const rows = [{ text: 'a\0' }, { text: 'a', connectionSlugs: ['s\0'] }, { text: 'a', mediaIds: ['\ud800'] }];
    const content = JSON.stringify(rows);

    const answer = await importFile(key, { format: 'json', content, connectionSlugs: ['sandbox'] });

    expect(answer.rows.map(({ error }: Answer) => error.code)).toEqual(rows.map(() => 'invalid_request'));
  });

  it.each([
    ['of an unknown field', { 'te\0xt': 1 }, 'body: expected no field called "te\\u0000xt".'],
    ['of a platform', { textByPlatform: { 'x\0': 'y' } }, 'textByPlatform: expected no field called "x\\u0000".'],
    ['of a field with too many items', { 'a\0': Array(1_001).fill(1) }, 'a\\u0000: expected at most 1000 items.'],
    ['with half a surrogate pair', { 'te\ud800xt': 1 }, 'body: expected no field called "te\ufffdxt".'],
  ])('in the name %s is an error of its row, and the other rows are posted', async (_name, fields, message) => {
    const { key } = await accountWithSandbox(world);
    const content = JSON.stringify([{ text: 'Good' }, { text: 'Bad', ...fields }]);

    const answer = await importFile(key, { format: 'json', content, connectionSlugs: ['sandbox'] });

    expect(answer.rows.map(({ status, error }: Answer) => [status, error])).toEqual([
      ['created', null],
      ['failed', { code: 'invalid_request', message }],
    ]);
    expect(await textsOf(key)).toEqual(['Good']);
  });
});

describe('a dry run', () => {
  it('says for each row and connection what would happen, and creates nothing', async () => {
    const { key } = await accountWithSandbox(world);
    const at = iso(DAY_MS);
    const content = `text,connections,scheduledFor\nDing,sandbox,${at}\nDong,sandbox nobody,\n`;

    const { import: one, rows } = await importFile(key, { content, dryRun: true });

    expect(one).toMatchObject({ dryRun: true, status: 'done', counts: { valid: 1, failed: 1, created: 0 } });
    expect(rows).toEqual([
      {
        row: 1,
        status: 'valid',
        error: null,
        results: [{ connectionSlug: 'sandbox', status: 'valid', postId: null, scheduledFor: at, error: null }],
      },
      {
        row: 2,
        status: 'failed',
        error: { code: 'invalid_connection', message: expect.any(String) },
        results: [
          { connectionSlug: 'sandbox', status: 'valid', postId: null, scheduledFor: null, error: null },
          {
            connectionSlug: 'nobody',
            status: 'failed',
            postId: null,
            scheduledFor: null,
            error: { code: 'invalid_connection', message: expect.any(String) },
          },
        ],
      },
    ]);
    expect(await textsOf(key)).toEqual([]);
  });

  it('of a key that has to ask says that a row is valid which the import creates as a draft to approve', async () => {
    const { id: accountId } = await accountWithSandbox(world);
    const { secret: key } = await world.key({ accountId, approval: 'required' });
    const content = JSON.stringify([{ text: 'Ding', connectionSlugs: ['sandbox'], queue: true }]);

    const dry = await importFile(key, { format: 'json', content, dryRun: true });
    const real = await importFile(key, { format: 'json', content });

    const result = { connectionSlug: 'sandbox', scheduledFor: null, error: null };
    expect(dry.rows).toEqual([
      { row: 1, status: 'valid', error: null, results: [{ ...result, status: 'valid', postId: null }] },
    ]);
    expect(real.rows).toEqual([
      {
        row: 1,
        status: 'created',
        error: null,
        results: [{ ...result, status: 'draft', postId: UUID }],
      },
    ]);
  });
});

describe('nothing is created twice', () => {
  const file = (texts: readonly string[]) => ['text,connections', ...texts.map((text) => `${text},sandbox`)].join('\n');

  it('by the same file, which tries again only what failed', async () => {
    const { key } = await accountWithSandbox(world);
    const content = `${file(['A', 'A'])}\nB,later`;
    const first = await importFile(key, { content });
    expect(first.import.counts).toMatchObject({ created: 2, failed: 1 });
    await connectSandbox(world, { key, slug: 'later' });

    const second = await importFile(key, { content });

    expect(second.import).toMatchObject({ id: first.id, status: 'done', counts: { created: 3, failed: 0 } });
    expect(await textsOf(key)).toEqual(['A', 'A', 'B']);
    expect((await world.rest('GET /imports', { key })).body.imports).toHaveLength(1);
  });

  it('by a longer file that begins with the same rows', async () => {
    const { key } = await accountWithSandbox(world);
    const first = await importFile(key, { content: file(['A', 'B', 'A']) });

    const second = await importFile(key, { content: file(['B', 'A', 'A', 'A', 'C']) });

    expect(second.rows.map(({ status }: Answer) => status)).toEqual([
      'skipped',
      'skipped',
      'skipped',
      'created',
      'created',
    ]);
    expect(second.rows[0].error).toEqual({
      code: 'idempotency_key_conflict',
      message: `Row 2 of the import ${first.id} has created it already.`,
    });
    expect(await textsOf(key)).toEqual(['A', 'A', 'A', 'B', 'C']);
  });

  it('by a file that is sent again while a worker carries out another one with the same row', async () => {
    const { key } = await accountWithSandbox(world);
    const image = await startSlowImage();
    const row = { text: 'Same', connectionSlugs: ['sandbox'], images: [{ url: image.url }], isDraft: true };
    const first = await sendRows(key, [row]);
    await world.runDue();
    image.appear();
    const second = await sendRows(key, [row, { text: 'Other', connectionSlugs: ['sandbox'], isDraft: true }]);
    const never = new AbortController().signal;
    const held = runImports(world.context, never);
    await image.asked(1);
    await sendRows(key, [row]);

    const free = runImports(world.context, never);
    expect(await free).toBe(0);
    image.answer();
    await held;
    await world.runDue();

    expect((await rowsOf(key, first)).map(({ status }) => status)).toEqual(['skipped']);
    expect((await rowsOf(key, second)).map(({ status }) => status)).toEqual(['created', 'created']);
    expect(await textsOf(key)).toEqual(['Other', 'Same']);
  });

  it('by a worker whose lease has run out during a row that another import asks for too', async () => {
    const { key } = await accountWithSandbox(world);
    const image = await startSlowImage();
    const row = { text: 'Same', connectionSlugs: ['sandbox'], images: [{ url: image.url }], isDraft: true };
    await sendRows(key, [row]);
    await world.runDue();
    image.appear();
    await sendRows(key, [row, { text: 'Other', connectionSlugs: ['sandbox'], isDraft: true }]);
    const never = new AbortController().signal;
    const late = runImports(world.context, never);
    await image.asked(1);
    await sendRows(key, [row]);
    world.clock.advance(200_000);
    const other = runImports(world.context, never);
    await image.asked(2);

    image.answer();
    await Promise.all([late, other]);
    await world.runDue();

    expect(await textsOf(key)).toEqual(['Other', 'Same']);
  });

  it('when the process dies after a row, and another one goes on when the lease has run out', async () => {
    const { key } = await accountWithSandbox(world);
    const { send } = world.context.sends;
    // The process dies while the post of the second row is being sent: the row and its post are stored.
    let sends = 0;
    world.context.sends.send = async (claimed) => {
      sends += 1;
      if (sends === 2) throw new Error('killed');
      return send.call(world.context.sends, claimed);
    };
    const content = file(['A', 'B', 'C']);
    const { body } = await start(key, { content, untimed: 'now' });
    await world.runDue();
    world.context.sends.send = send;
    const { id } = body.import;
    expect((await rowsOf(key, id)).map(({ status }) => status)).toEqual(['created', 'created', 'pending']);

    await world.advance(60_000);
    expect((await rowsOf(key, id)).at(-1)?.status).toBe('pending');
    await world.advance(120_000);

    expect((await rowsOf(key, id)).map(({ status }) => status)).toEqual(['created', 'created', 'created']);
    expect(await textsOf(key)).toEqual(['A', 'B', 'C']);
    const posts = await world.sql(
      'select status from posts p join connections c on c.id = p.connection_id where c.slug = $1 and p.text = $2 and p.status = $3',
      ['sandbox', 'B', 'processing'],
    );
    expect(posts).toEqual([]);
  });
});

describe('an import', () => {
  it('ends with the key that started it, and says so', async () => {
    const { key, id: accountId } = await accountWithSandbox(world);
    const other = await world.key({ accountId });
    const { body } = await start(other.secret, { content: 'text,connections\nDing,sandbox\n' });
    await world.rest(`DELETE /keys/${other.id}`, { key });
    await world.runDue();

    const { body: after } = await world.rest(`GET /imports/${body.import.id}`, { key });

    expect(after.import).toMatchObject({
      status: 'cancelled',
      error: 'The key, agent or role that started the import has ended. Send the file again to go on.',
      counts: { pending: 1, created: 0 },
    });
    expect(await textsOf(key)).toEqual([]);
  });

  it('goes on with the rights of a request that sends the file again during a row', async () => {
    const { key, id: accountId } = await accountWithSandbox(world);
    const other = await world.key({ accountId });
    const image = await startSlowImage();
    image.appear();
    const rows = [
      { text: 'A', connectionSlugs: ['sandbox'], images: [{ url: image.url }], isDraft: true },
      { text: 'B', connectionSlugs: ['sandbox'], isDraft: true },
    ];
    const id = await sendRows(other.secret, rows);
    const turn = runImports(world.context, new AbortController().signal);
    await image.asked(1);
    await world.rest(`DELETE /keys/${other.id}`, { key });

    const again = await fetch(`${world.url}/trpc/imports.start`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ format: 'json', content: JSON.stringify(rows) }),
    });
    expect(again.status).toBe(200);
    image.answer();
    // The row begins anew, with the rights of who sent the file again.
    await image.asked(1);
    image.answer();
    await turn;
    await world.runDue();

    expect((await world.rest(`GET /imports/${id}`, { key })).body.import).toMatchObject({
      status: 'done',
      error: null,
      counts: { created: 2 },
    });
    const { entries } = (await world.rest('GET /audit?operation=posts.create', { key })).body;
    expect(entries.map(({ surface, outcome }: Answer) => [surface, outcome])).toEqual([
      ['trpc', 'ok'],
      ['trpc', 'ok'],
    ]);
  });

  it('is not held up by one that ran before the clock was set back', async () => {
    await using install = await startWorld();
    const { key } = await accountWithSandbox(install);
    const run = async (content: string) => {
      const { body } = await install.rest('POST /imports', { key, body: { format: 'csv', content } });
      await install.runDue();
      return (await install.rest(`GET /imports/${body.import.id}`, { key })).body.import.status;
    };
    const now = install.clock.now();
    install.clock.advance(DAY_MS);
    expect(await run('text,connections\nA,sandbox\n')).toBe('done');

    install.clock.set(now);

    expect(await run('text,connections\nB,sandbox\n')).toBe('done');
  });

  it('tries a failed row again when the file is sent before the worker has gone on', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const content = 'text,connections\nDing dong,sandbox\n';
    await world.sql('update connections set limits = $2 where id = $1', [connection.id, { text: { maxLength: 4 } }]);
    const { id } = (await start(key, { content })).body.import;
    // After the transaction that settled the row, and before the worker has its answer.
    let isSentAgain = false;
    const queries = withResults(world.db.em(), async ({ result }) => {
      const [row] = await rowsOf(key, id);
      if (row.status === 'failed' && !isSentAgain) {
        isSentAgain = true;
        await world.sql('update connections set limits = null where id = $1', [connection.id]);
        await start(key, { content });
      }
      return result;
    });

    await runImports({ ...world.context, db: { ...world.db, queries } }, new AbortController().signal);

    expect(isSentAgain).toBe(true);
    expect((await rowsOf(key, id)).map(({ status }) => status)).toEqual(['created']);
  });

  it('that is cancelled begins no further row, and the same file goes on with it', async () => {
    const { key } = await accountWithSandbox(world);
    const content = 'text,connections\nDing,sandbox\n';
    const { body } = await start(key, { content });

    const cancelled = await world.rest(`POST /imports/${body.import.id}/cancel`, { key, body: {} });
    await world.runDue();

    expect(cancelled.body.import).toMatchObject({ status: 'cancelled', counts: { pending: 1 } });
    expect(await textsOf(key)).toEqual([]);
    expect((await importFile(key, { content })).import).toMatchObject({
      id: body.import.id,
      status: 'done',
      counts: { created: 1 },
    });
  });

  it.skipIf(world.db.engine !== 'postgres')('goes on when the same file is sent while its last turn ends', async () => {
    const { key } = await accountWithSandbox(world);
    const content = 'text,connections,draft\nA,sandbox,yes\nB,nowhere,yes\n';
    const { id } = await importFile(key, { content });
    // The moment before the turn ends: all rows are settled, and the worker holds the lease.
    const lease = world.context.random.uuid();
    await world.sql(
      `update imports set status = 'running', ended_at = null, lease = $2, lease_until = $3 where id = $1`,
      [id, lease, iso(180_000)],
    );
    const held = await holdRows(world, 'select 1 from import_rows where import_id = $1 for update', [id]);

    const again = start(key, { content });
    await held.waiting(1);
    const released = releaseImport(world.context.db.em(), { id, lease, now: world.clock.now() });
    await held.waiting(2);
    await held.release();
    await Promise.all([again, released]);
    await world.runDue();

    const { body } = await world.rest(`GET /imports/${id}`, { key });
    expect(body.import).toMatchObject({ status: 'done', counts: { pending: 0, created: 1, failed: 1 } });
  });

  it('creates posts with the rights of its key, as an audited change of the plan’s account', async () => {
    const { key, id: accountId } = await accountWithSandbox(world);
    await world.sql(`update accounts set plan = 'free' where id = $1`, [accountId]);
    const content = ['text,connections', ...Array.from({ length: 102 }, (_, index) => `T${index},sandbox`)].join('\n');

    const { import: one, id } = await importFile(key, { content, untimed: 'now' });

    expect(one.counts).toMatchObject({ created: 100, failed: 2 });
    const failed = (await world.rest(`GET /imports/${id}?status=failed`, { key })).body.rows;
    expect(failed.map(({ row, error }: Answer) => [row, error.code])).toEqual([
      [101, 'fair_use_reached'],
      [102, 'fair_use_reached'],
    ]);
    const { entries } = (await world.rest('GET /audit?operation=posts.create&limit=1', { key })).body;
    expect(entries[0]).toMatchObject({
      actor: { kind: 'key' },
      surface: 'rest',
      operation: 'posts.create',
      outcome: 'ok',
    });
  });

  it('gives its rows by cursor and status', async () => {
    const { key } = await accountWithSandbox(world);
    const content = `text,connections\n${Array.from({ length: 5 }, (_, index) => `T${index},sandbox`).join('\n')}`;
    const { id } = await importFile(key, { content });
    const page = async (query: string) => (await world.rest(`GET /imports/${id}?${query}`, { key })).body;

    const first = await page('limit=3');
    const second = await page(`limit=3&cursor=${first.nextCursor}`);

    expect([first, second].map(({ rows, nextCursor }) => [rows.map(({ row }: Answer) => row), nextCursor])).toEqual([
      [[1, 2, 3], '3'],
      [[4, 5], null],
    ]);
    expect((await page('status=failed')).rows).toEqual([]);
  });

  it('of other accounts goes on beside a long one', async () => {
    const [long, short] = [await accountWithSandbox(world), await accountWithSandbox(world)];
    const rows = (count: number) =>
      `text,connections\n${Array.from({ length: count }, (_, index) => `T${index},sandbox`).join('\n')}`;
    await start(long.key, { content: rows(60) });
    const { body } = await start(short.key, { content: rows(1) });
    await world.runDue();

    const [one] = (await world.rest('GET /imports', { key: long.key })).body.imports;
    const { import: other } = (await world.rest(`GET /imports/${body.import.id}`, { key: short.key })).body;
    expect([one.id, one.status, other.status]).toEqual([UUID, 'done', 'done']);
    const [{ earlier }] = (await world.sql(
      `select (select max(id::text) from posts where account_id = (select account_id from imports where id = $1)) <
        (select max(id::text) from posts where account_id = (select account_id from imports where id = $2)) as earlier`,
      [other.id, one.id],
    )) as [{ earlier: boolean }];
    expect(earlier).toBe(true);
  });
});

it('an import ends when the key that started it expires', async () => {
  const { id: profileId } = await world.profile();
  const { slug } = await connectSandbox(world, { profileId, slug: 'expiring' });
  const expiresAt = new Date(world.clock.now().getTime() + 60_000).toISOString();
  const body = { name: 'Short', type: 'live', expiresAt };
  const { body: minted } = await world.rest(`POST /profiles/${profileId}/keys`, { body });
  const content = `text,connections\nDing,${slug}\n`;
  const started = await world.rest('POST /imports', { key: minted.secret, body: { format: 'csv', content } });

  await world.advance(120_000);

  const after = await world.rest(`GET /imports/${started.body.import.id}`);
  expect(after.body.import.status).toBe('cancelled');
});
