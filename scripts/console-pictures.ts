/**
 * Renews the pictures of the console in docs/images/console: `npm run docs:pictures`. Starts a temporary install on the
 * manual clock, publishes some posts to its sandbox, and captures the views in Chromium (CHROMIUM_PATH, or Debian's).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { ensureBuilt } from './ensure-built.js';

const KEY = `crl_live_${'b'.repeat(40)}`;
const PICTURES = path.join(import.meta.dirname, '../docs/images/console');
const DESKTOP = { width: 1120, height: 900 };
const PHONE = { width: 390, height: 844 };

const QUESTION = 'Concert at noon on Thursday. Come early, the tower has 212 steps. Which piece shall we play first?';

/** A picture: its file, the address, in which `{import}` is the id of an import, and a text that is there when the view is complete. */
interface Picture {
  readonly file: string;
  readonly address: string;
  readonly awaits: string;
  readonly isPhone?: true;
  readonly colorScheme?: 'dark';
}

const VIEWS: readonly Picture[] = [
  { file: 'today', address: '/', awaits: 'Sending of scheduled posts' },
  { file: 'compose', address: `/compose?${composed()}`, awaits: 'Preview' },
  { file: 'compose-phone', address: `/compose?${composed()}`, awaits: 'Preview', isPhone: true },
  { file: 'calendar', address: '/calendar?date=2027-03-01', awaits: 'Concert at noon' },
  { file: 'posts', address: '/posts', awaits: 'Concert at noon', colorScheme: 'dark' },
  { file: 'queues', address: '/queues', awaits: 'How a bell is tuned' },
  { file: 'import', address: '/files?import={import}', awaits: 'tomorrow morning' },
  { file: 'connections', address: '/connections', awaits: 'bell-tower' },
];

function composed(): string {
  const search = new URLSearchParams({ text: QUESTION });
  for (const slug of ['bell-tower', 'bell-shop']) search.append('slug', slug);
  return search.toString();
}

async function main(): Promise<void> {
  await ensureBuilt(path.join(import.meta.dirname, '..'), 'console');
  const dataDir = await mkdtemp(path.join(tmpdir(), 'carillon-picture-'));
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const server = spawn(process.execPath, [path.join(import.meta.dirname, '../server/main.js')], {
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: dataDir,
      BOOTSTRAP_LIVE_KEY: KEY,
      CLOCK: 'manual',
      CLOCK_START: '2027-03-01T08:00:00Z',
    },
    stdio: 'ignore',
  });
  try {
    await isReady(url);
    await capture(url, await fill(url));
  } finally {
    server.kill();
    if (server.exitCode === null) await once(server, 'exit');
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

async function isReady(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.ok === true) return;
    await wait(200);
  }
  throw new Error('The server did not start within two minutes');
}

async function call<Answer>(
  url: string,
  operation: string,
  body: unknown,
  method: 'PATCH' | 'POST' = 'POST',
): Promise<Answer> {
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v2/${operation}`, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${operation} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

/** Posts of the shop, by their day in March. */
const COMING = {
  '02': 'Hand bells are back in the shop.',
  '05': 'Workshop on Saturday: three places left.',
  '09': 'Schools are welcome in the foundry.',
  '12': 'Spring sale starts today.',
};

/** A queue with three slots a week. */
async function addSlots(url: string, connectionId: string): Promise<void> {
  const slots = [1, 3, 5].map((weekday) => ({ weekday, time: '09:00' }));
  await call(url, `connections/${connectionId}/queue`, { slots, timezone: 'Europe/Lisbon' }, 'PATCH');
}

/** A file with two problems. */
const FILE = `text,connections,scheduledFor,tags
Spring concert: the programme is out,bell-tower bell-shop,2027-03-15T09:00:00Z,concert
Rehearsal,bell-tower,tomorrow morning,concert
Guided tour on Sunday,bell-tower,2027-03-07T10:00:00Z,
Gift vouchers,bell-market,,shop
`;

/** @returns id of its check */
async function checkFile(url: string): Promise<string> {
  const body = { name: 'march.csv', format: 'csv', content: FILE, dryRun: true };
  const { import: check } = await call<{ import: { id: string } }>(url, 'imports', body);
  await call(url, 'simulation/clock', { advanceSeconds: 1 });
  return check.id;
}

/**
 * Stores what the pictures show: three connections, posts in several states, and the check of a file.
 *
 * @returns id of the check
 */
async function fill(url: string): Promise<string> {
  const made: string[] = [];
  for (const slug of ['bell-tower', 'bell-shop']) {
    const fields = { platformId: 'sandbox', credentials: {}, slug };
    const { connection } = await call<{ connection: { id: string } }>(url, 'connections', fields);
    made.push(connection.id);
  }
  const all = ['sandbox', 'bell-tower', 'bell-shop'];
  await call(url, 'posts', { text: 'The new bell arrives on Thursday.', connectionSlugs: all });
  await call(url, 'posts', { text: 'Closed on Monday [[reject]]', connectionSlugs: ['bell-shop'] });
  await call(url, 'simulation/clock', { advanceSeconds: 90 * 60 });
  const text = 'Concert at noon. Come early, the tower has 212 steps.';
  await call(url, 'posts', { text, connectionSlugs: ['bell-tower'], scheduledFor: '2027-03-04T11:00:00Z' });
  await addSlots(url, made[0] ?? '');
  for (const [day, news] of Object.entries(COMING)) {
    const scheduledFor = `2027-03-${day}T15:00:00Z`;
    await call(url, 'posts', { text: news, connectionSlugs: ['bell-shop'], scheduledFor, tags: ['shop'] });
  }
  for (const queued of ['How a bell is tuned, in four pictures.', 'Open day: ring the great bell.']) {
    await call(url, 'posts', { text: queued, connectionSlugs: ['bell-tower'], queue: true });
  }
  return checkFile(url);
}

async function capture(url: string, importId: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    for (const { isPhone, colorScheme, address, ...rest } of VIEWS) {
      const picture = { ...rest, address: address.replace('{import}', importId) };
      const page = await browser.newPage({
        viewport: isPhone === true ? PHONE : DESKTOP,
        colorScheme: colorScheme ?? 'light',
        timezoneId: 'Europe/Lisbon',
      });
      await openView(page, url, picture);
      const taken = await page.screenshot({ animations: 'disabled' });
      const file = path.join(PICTURES, `${picture.file}.png`);
      await sharp(taken).png({ palette: true, colours: 128, effort: 10 }).toFile(file);
      await page.close();
    }
  } finally {
    await browser.close();
  }
}

async function openView(page: Page, url: string, { address, awaits }: Picture): Promise<void> {
  // The page reads the time of the machine, and the install its own.
  await page.clock.setFixedTime(new Date('2027-03-01T09:30:20Z'));
  await page.goto(`${url}${address}`);
  await page.getByLabel('API key').fill(KEY);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByText(awaits).first().waitFor();
}

await main();
