/** `npm run dev:platforms`: serves all platforms offline until it is stopped, and prints how to use them. */
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { asCurl, asShell, startDevPlatforms } from './dev-platforms.ts';

const FIRST_PORT = 4800;
const FOLDER = 'data';
const FILE = `${FOLDER}/dev-platforms.env`;

const publicUrl = process.env['PUBLIC_URL'] ?? `http://localhost:${process.env['PORT'] ?? 3000}`;
const platforms = await startDevPlatforms({ now: () => new Date(), publicUrl }, FIRST_PORT);
const settings = asShell(platforms.env);
await mkdir(FOLDER, { recursive: true });
await writeFile(FILE, settings);

console.log(`All platforms are here, on this machine alone. Start Carillon with these settings:

${settings.replaceAll(/^(?=.)/gm, 'export ')}
They are in a file too, so in another terminal:

set -a; . ./${FILE}; set +a; npm start

Then connect an account, or all of them:

${platforms.connections.map((connection) => asCurl(connection, publicUrl)).join('\n\n')}

Posts on each platform: curl -s ${platforms.listUrl}
Ctrl-C stops them, and what they hold is gone.`);

await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await platforms[Symbol.asyncDispose]();
