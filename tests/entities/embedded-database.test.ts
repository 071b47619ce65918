/** The files of the embedded database. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLite } from '../../entities/embedded-database.ts';

describe('the embedded database', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'carillon-lite-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('is created in full, and removes what a creation that was killed has left', async () => {
    await mkdir(join(folder, 'db.new-1'));
    await writeFile(join(folder, 'db.new-1/PG_VERSION'), '18');

    const first = await openLite(join(folder, 'db'), {});
    await first.exec('create table kept (a int)');
    await first.close();
    const again = await openLite(join(folder, 'db'), {});
    const { rows } = await again.query("select to_regclass('kept') is not null as kept");
    await again.close();

    expect(rows).toEqual([{ kept: true }]);
    expect(await readdir(folder)).toEqual(['db']);
  });
});
