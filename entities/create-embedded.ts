/**
 * Creates an empty embedded database in a new folder, as a separate program: `node create-embedded.ts FOLDER`. Creating one
 * takes 500 MB of memory that the engine keeps, and only the end of a process frees all of it. It ends
 * when its standard input does, so that it does not outlive the process that started it.
 */
import { PGlite } from '@electric-sql/pglite';

process.stdin.on('end', () => process.exit(1)).resume();

const database = await PGlite.create({ dataDir: process.argv[2] ?? '' });
await database.close();
process.exit(0);
