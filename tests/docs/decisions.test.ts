/** The decision records: numbered without gaps, in one form, listed in the index, and cited by their paths. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDER = 'docs/decisions';
const HEADINGS = ['Context', 'Choice', 'Rejected', 'How to reverse'];

const records = globSync('[0-9]*.md', { cwd: FOLDER })
  .toSorted()
  .map((file) => {
    const text = readFileSync(`${FOLDER}/${file}`, 'utf8');
    return { file, text, title: /^# \d{4}: (.+)$/m.exec(text)?.[1] ?? '' };
  });
const tracked = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.js', '*.md'], { encoding: 'utf8' });
const files = tracked
  .trimEnd()
  .split('\n')
  .filter((file) => existsSync(file) && file !== 'tests/docs/decisions.test.ts')
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

/** A title as part of a file name. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

describe('decision records', () => {
  it('are numbered from 0001 without gaps, and named after their titles', () => {
    const expected = records.map(({ title }, index) => `${String(index + 1).padStart(4, '0')}-${slug(title)}.md`);

    expect(records.length).toBeGreaterThan(60);
    expect(records.map(({ file }) => file)).toEqual(expected);
  });

  it.each(records)('$file has the four headings and its own number', ({ file, text }) => {
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(HEADINGS);
    expect(text).toMatch(new RegExp(`^# ${file.slice(0, 4)}: `));
  });

  it('are listed in the index with their titles, in order', () => {
    const index = readFileSync(`${FOLDER}/README.md`, 'utf8');

    expect([...index.matchAll(/^- (.+)$/gm)].map(([, entry]) => entry)).toEqual(
      records.map(({ file, title }) => `[${file.slice(0, 4)}](${file}): ${title}`),
    );
  });
});

describe('citations of decisions', () => {
  it('give the path of a record that exists', () => {
    const cited = files.flatMap(({ file, text }) =>
      [...text.matchAll(/(?<![\w-])(\d{4}-[a-z0-9-]+\.md)/g)].map(([, record = '']) => ({ file, record })),
    );

    expect(cited.length).toBeGreaterThan(80);
    expect(cited.filter(({ record }) => !existsSync(path.join(FOLDER, record)))).toEqual([]);
  });

  it('never give only a number, and give the number of the record that they link to', () => {
    const unlinked = files.flatMap(({ file, text }) =>
      [...text.matchAll(/(?<!\[)\bdecisions?[ \n*]+\d{4}\b/gi)].map(([match]) => `${file}: ${match}`),
    );
    const wrong = files.flatMap(({ file, text }) =>
      [...text.matchAll(/\[(?:[^\][]*\s)?(\d{4})\]\([^)]*?(\d{4})-[a-z0-9-]+\.md\)/g)]
        .filter(([, named, linked]) => named !== linked)
        .map(([match]) => `${file}: ${match}`),
    );

    expect({ unlinkedMentions: unlinked, wrong }).toEqual({ unlinkedMentions: [], wrong: [] });
  });
});
