/** Queries that are repeated while the database is away (docs/decisions/0085-keep-an-outcome-while-the-database-is-away.md). */
import { DatabaseError } from 'pg';
import { describe, expect, it } from 'vitest';
import { storeOutcome, untilDatabaseAnswers } from '../../services/until-database-answers.ts';
import { createTestClock } from '../harness/test-clock.ts';

/** A clock whose waits pass at once. */
function quickContext() {
  let elapsed = 0;
  const clock = {
    ...createTestClock(),
    elapsed: () => elapsed,
    sleep: async (ms: number) => {
      elapsed += ms;
    },
  };
  return { context: { clock }, elapsed: () => elapsed };
}

function answer(code: string): DatabaseError {
  const error = new DatabaseError('an answer', 10, 'error');
  error.code = code;
  return error;
}

const network = (code: string) => Object.assign(new Error(`connect ${code}`), { code });

describe('a query', () => {
  it.each([
    answer('57P01'),
    answer('57P03'),
    answer('25006'),
    answer('08006'),
    answer('53300'),
    network('ECONNREFUSED'),
    network('ECONNRESET'),
    new Error('Connection terminated unexpectedly'),
    new Error('Client has encountered a connection error and is not queryable'),
    new Error('timeout expired'),
  ])('is repeated until the database answers: %s', async (error) => {
    const { context } = quickContext();
    let tries = 0;

    const result = await untilDatabaseAnswers(context, 60_000, async () => {
      tries += 1;
      if (tries < 4) throw error;
      return 'stored';
    });

    expect([result, tries]).toEqual(['stored', 4]);
  });

  it.each([answer('23505'), answer('40P01'), answer('22021'), new TypeError('x is undefined')])(
    'that the database or the code refuses is not repeated: %s',
    async (error) => {
      let tries = 0;

      const stored = untilDatabaseAnswers(quickContext().context, 60_000, () => {
        tries += 1;
        return Promise.reject(error);
      });

      await expect(stored).rejects.toBe(error);
      expect(tries).toBe(1);
    },
  );

  it('that stores an outcome is given up after ten minutes', async () => {
    const { context, elapsed } = quickContext();
    const error = network('ECONNREFUSED');

    await expect(storeOutcome(context, () => Promise.reject(error))).rejects.toBe(error);

    expect(elapsed()).toBe(600_000);
  });
});
