/**
 * The command line `carillon`. It calls a running server over HTTP and never opens the database, which only that server
 * may open. commands.ts lists the commands.
 */
import { systemIo } from './system-io.ts';
import { runCommandLine } from './run-command-line.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), systemIo());
