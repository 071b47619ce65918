/** What a log contains of errors: names, codes and code locations, and no value of a statement, for any error. */
import { describe, expect, it } from 'vitest';
import { loggableError } from '../../errors/loggable-error.ts';
import { query } from '../harness/query.ts';
import { createLogger } from '../../server/logger.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { startWorld } from '../harness/world.ts';

const SECRET = 'v1.sealed-login-abcdef';

/** A logger and its output. */
function recordingLogger() {
  const lines: string[] = [];
  return { log: createLogger('trace', { write: (line) => void lines.push(line) }), lines };
}

/** Errors as drivers and libraries create them, each with a value of a statement somewhere. */
const wrapped = (cause: unknown) => new Error(`wrapped: ${(cause as Error).message}`, { cause });
const driverLike = Object.assign(
  new Error(`insert into "connections" ("credentials") values ('${SECRET}') - duplicate key`),
  {
    code: '23505',
    detail: `Key (slug)=(${SECRET}) already exists.`,
    where: `PL/pgSQL ${SECRET}`,
    hint: SECRET,
    query: `insert ${SECRET}`,
    params: [SECRET],
    parameters: [SECRET],
    constraint: 'connections_slug_unique',
    table: 'connections',
  },
);
const cyclic = new Error(`"${SECRET}"`);
cyclic.cause = cyclic;
const SHAPES: [string, unknown][] = [
  ['the error of a driver', driverLike],
  ['one around it that repeats its message', wrapped(wrapped(driverLike))],
  ['an aggregate of them', new AggregateError([driverLike, wrapped(driverLike)], `several: "${SECRET}"`)],
  ['a cause that is a plain object', new Error('x', { cause: { message: `'${SECRET}'`, params: [SECRET] } })],
  ['a plain object', { message: `invalid input syntax for type uuid: "${SECRET}"`, sql: SECRET }],
  ['a text', SECRET],
  ['a cycle', cyclic],
  ['a message over several lines', new Error(`the first line\n${SECRET}\n    at ${SECRET} (file:///x.ts:1:1)`)],
  [
    'a message with marks inside of marks',
    new SyntaxError(`Unexpected token 'x', "{"a":"${SECRET}" is not valid JSON`),
  ],
  ['a message that was cut off', new SyntaxError(`Unexpected token, "{"a":"${SECRET}`)],
  ['a value that only the parameters tell', Object.assign(new Error(`bad ${SECRET}`), { params: [SECRET] })],
  ['a name and a code', Object.assign(new Error('x'), { name: SECRET, code: SECRET })],
  ['a changed stack', Object.assign(new Error('x'), { stack: `Error: x ${SECRET}\n${SECRET}\n    at ${SECRET}` })],
];

describe('a log line', () => {
  it.each(SHAPES)('contains no value of %s, at any place', (_shape, thrown) => {
    const { log, lines } = recordingLogger();

    log.error({ err: thrown, reqId: 'r' }, 'it failed');
    log.error(
      { error: thrown, cause: thrown, list: [wrapped(thrown instanceof Error ? thrown : driverLike)] },
      'it failed',
    );
    log.error({ deep: { errors: [thrown instanceof Error ? thrown : driverLike] } }, 'it failed');
    log.error({ err: thrown });
    if (thrown instanceof Error) {
      log.error(thrown);
      log.error(thrown, 'it failed');
      log.error({ reqId: 'r' }, 'it failed: %s', thrown);
    }

    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((line) => line.includes(SECRET) || line.includes('sealed'))).toEqual([]);
  });

  it('names an error, its code and its code locations', () => {
    const { log, lines } = recordingLogger();

    log.error({ err: new ServiceError('platform_unavailable', 'It is away.', { cause: driverLike }) }, 'it failed');

    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'error',
      time: expect.any(String),
      msg: 'it failed',
      err: {
        type: 'ServiceError',
        code: 'platform_unavailable',
        message: 'It is away.',
        stack: expect.stringMatching(/^ +at .*logger\.test\.ts:\d+:\d+\)?\n/),
        cause: {
          type: 'Error',
          code: '23505',
          message: '(hidden: it holds values)',
          constraint: 'connections_slug_unique',
          table: 'connections',
          stack: expect.stringMatching(/^ +at /),
        },
      },
    });
  });
});

it('the errors of this database are logged without their values', async () => {
  const world = await startWorld();
  const failing: [string, unknown[]][] = [
    ['select $1::uuid', [SECRET]],
    ['select $1::jsonb', [SECRET]],
    ['insert into worker_states (name, last_run_at) values ($1, $2), ($1, $2)', [SECRET, new Date(0)]],
    ['select * from nowhere where a = $1', [SECRET]],
  ];
  const { log, lines } = recordingLogger();
  for (const [sql, parameters] of failing) {
    const thrown: unknown = await query(world.db.em(), sql, parameters).catch((error: unknown) => error);
    log.error({ err: thrown }, 'a request failed');
    log.error({ err: wrapped(thrown) }, 'a request failed');
    expect(loggableError(thrown)).toMatchObject({ code: expect.stringMatching(/^\w{5}$/), stack: expect.any(String) });
  }

  expect(lines.filter((line) => line.includes(SECRET))).toEqual([]);
});
