/** The report of the proof: it replaces the last one, names the command of each failure, and sees memory that grows. */
import { describe, expect, it } from 'vitest';
import { insertReport, killsSection } from './report.ts';
import { trendOf } from './soak.ts';

describe('the page', () => {
  it('keeps its text and has the newest report only', () => {
    const first = insertReport('# Reliability\n\n## The last report\n', 'one kill');

    const second = insertReport(`${first}\nAfter it.\n`, 'two kills');

    expect(first).toBe(
      '# Reliability\n\n## The last report\n\n<!-- The report begins; npm run proof writes it. -->\n\none kill\n\n<!-- The report ends. -->\n',
    );
    expect(second).toBe(`${first.replace('one kill', 'two kills')}\nAfter it.\n`);
  });
});

describe('the kills', () => {
  const held = { kind: 'sends', name: 'sends:0', violations: [], counts: { 'posts sent': 2 }, tookMs: 1 };

  it('are counted by the step at which they hit, on each database', () => {
    const { text, violations } = killsSection('7', 4, {
      results: [
        { ...held, database: 'pglite', steps: ['create', 'create', 'delete'] },
        { ...held, database: 'postgres', steps: ['delete'] },
      ],
      failures: [],
    });

    expect(violations).toEqual([]);
    expect(text).toContain('4 of 4 kills in 2 installs; no guarantee was broken.');
    expect(text).toContain('| sends | create | 2 | 0 |\n| sends | delete | 1 | 1 |\n');
    expect(text).toContain('| sends | posts sent | 2 | 2 |\n');
  });

  it('name the command that repeats a case in which a guarantee was broken', () => {
    const results = [{ ...held, database: 'pglite', steps: ['create'], violations: ['p is up twice'] }];

    const { text, violations } = killsSection('7', 1, {
      results,
      failures: ['the process 1/1 on postgres ended with 1'],
    });

    expect(violations).toEqual([
      'p is up twice (replay: npm run proof -- --replay "7:pglite:sends:0")',
      'the process 1/1 on postgres ended with 1',
    ]);
    expect(text).toContain('**2 guarantees were broken.**');
    expect(text).toContain(`- ${violations[0]}\n- ${violations[1]}\n`);
  });
});

describe('memory over the second half of a soak', () => {
  const warmUp = [100, 180, 240, 290];

  it.each([
    ['stays', [300, 302, 299, 301], true],
    ['falls', [300, 280, 260, 240], true],
    ['grows by a twentieth', [300, 305, 310, 315], true],
    ['grows by a fifth', [300, 320, 340, 360], false],
  ])('that %s', (_how, values, isFlat) => {
    expect(trendOf([...warmUp, ...values]).isFlat).toBe(isFlat);
  });
});
