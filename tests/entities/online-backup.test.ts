/** Copies of the embedded database while it is used: they open, also when checkpoints are made meanwhile. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { PGlite } from '@electric-sql/pglite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyOnline, logOf } from '../../entities/online-backup.ts';
import { unpackTar, writeTar } from '../../services/backups/tar.ts';

async function openIn(folder: string): Promise<PGlite> {
  const lite = await PGlite.create(folder);
  onTestFinished(() => lite.close());
  return lite;
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-copy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('a copy', () => {
  it('opens although checkpoints removed what they could of the log meanwhile, and so does the next one', async () => {
    const [source, ...targets] = [await newFolder(), await newFolder(), await newFolder()];
    const lite = await openIn(join(source, 'db'));
    await lite.exec('create table bells (name text)');
    for (const [times, target] of targets.entries()) {
      const files = copyOnline(lite, join(source, 'db'), async (stop) => {
        for (let round = 0; round < 4; round += 1) {
          await lite.exec(`insert into bells select repeat(md5(i::text), 20) from generate_series(1, 20000) i`);
          await lite.exec('checkpoint');
        }
        await stop();
      });
      await unpackTar(Readable.from(writeTar(files)), join(target, 'db'));

      const copy = await openIn(join(target, 'db'));
      const { rows } = await copy.query('select count(*)::int as bells from bells');
      expect(rows).toEqual([{ bells: 80_000 * (times + 1) }]);
    }
    expect((await lite.query('select slot_name from pg_replication_slots')).rows).toEqual([]);
  });
});

describe('the log of a copy', () => {
  const label = 'START WAL LOCATION: 0/FE000028 (file 0000000100000000000000FE)\nCHECKPOINT LOCATION: 0/FE000060\n';
  const [fe, ff, next] = ['0000000100000000000000FE', '0000000100000000000000FF', '000000010000000100000000'];

  it.each([
    ['is whole from the segment of the label on', [fe, ff, next], [fe, ff, next]],
    ['leaves out what is older', ['0000000100000000000000FD', fe], [fe]],
    ['is not whole without its first segment', [ff, next], null],
    ['is not whole with a gap', [fe, next], null],
    ['is not whole without any segment', [], null],
  ])('%s', (_which, names, log) => {
    expect(logOf(label, names)).toEqual(log);
  });
});
