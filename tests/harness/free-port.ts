/**
 * A port of loopback that nothing listens on, for a server that cannot choose one. Until it listens, nothing else on the machine is
 * given the port: it is below those that the system hands out, and each process of the tests counts from another one on.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';

// Browsers and fetch refuse port 10080.
const FIRST = 11_000;
const COUNT = 20_000;

/** Far enough apart that processes with neighbouring numbers do not meet. */
const OF_EACH_PROCESS = 97;

let next = process.pid * OF_EACH_PROCESS;

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = FIRST + (next % COUNT);
    next += 1;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${FIRST} to ${FIRST + COUNT - 1} is free`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
