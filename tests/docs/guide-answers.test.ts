/** The requests of the guides that show an answer get it: its fields, their order, and values that no clock or id decides. */
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { plain } from '../harness/images.ts';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';
import { askAs, type Block, blocksOf, type ShownAnswer, shownAnswers } from './code-blocks.ts';

const HOUR_MS = 3_600_000;

const world = await startWorld();

/** What a reader has done or has at hand before the request. */
interface Before {
  /** Replacements in the command. */
  readonly fill?: Readonly<Record<string, string>>;
  /** The file that the command sends. */
  readonly file?: Uint8Array;
}

async function connect(slug: string, profileId?: string): Promise<void> {
  const body = { platformId: 'sandbox', credentials: {}, slug, ...(profileId !== undefined && { profileId }) };
  expect((await world.rest('POST /connections', { body })).status).toBe(200);
}

async function publish(): Promise<string> {
  const body = { text: 'Hello', connectionSlugs: [world.sandboxSlug] };
  return (await world.rest('POST /posts', { body })).body.results[0].postId;
}

/** By page. */
const BEFORE: Readonly<Record<string, (blocks: readonly Block[]) => Promise<Before>>> = {
  analytics: async () => {
    const postId = await publish();
    for (let hour = 0; hour < 2; hour += 1) await world.advance(HOUR_MS);
    return { fill: { $POST_ID: postId } };
  },
  audit: async () => {
    await world.sql(`update api_keys set name = 'Acme server'`);
    await publish();
    return {};
  },
  calendars: async () => ({}),
  connect: async () => ({ fill: { $PROFILE_ID: (await world.profile('Connect')).id } }),
  feeds: async () => {
    const { id } = await world.profile('Feeds');
    await connect('bluesky-acme', id);
    return {};
  },
  'import-export': async (blocks) => {
    const { id } = await world.profile('Imports');
    await connect('mastodon-acme', id);
    const content = blocks.find(({ language }) => language === 'csv')?.code;
    const started = await world.rest('POST /imports', { body: { format: 'csv', content, dryRun: true } });
    await world.runDue();
    return { fill: { '<importId>': started.body.import.id } };
  },
  'profiles-and-keys': async () => {
    const { id } = await world.profile('Leaves');
    await connect('leaves', id);
    return { fill: { '/profiles/…': `/profiles/${id}` } };
  },
  publishing: async () => ({ file: await plain(32, 20).png().toBuffer() }),
  sends: async () => ({ fill: { '<postId>': await publish() } }),
};

/** Shows a part of its answer only, or needs the manual clock or `npm run dev:platforms`. */
function isLeftOut({ command }: ShownAnswer): boolean {
  return /include=times|simulation\/clock|127\.0\.0\.1:4800/.test(command);
}

/** Replaces ids, instants and addresses by their kind. */
function generalized(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value)) return 'id';
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return 'instant';
  return /^https?:\/\//.test(value) ? 'address' : value;
}

/** The JSON of an answer as the page shows it, with `…` where the page leaves something out. */
function shape(answer: unknown, shown: unknown): unknown {
  if (typeof shown === 'string' && /^[^:]*…$/.test(shown)) return shown;
  if (Array.isArray(answer) && Array.isArray(shown)) return answer.map((item, index) => shape(item, shown[index]));
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return generalized(answer);
  const from = Object(shown) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, shape(value, from[name])]));
}

it('arranges every page of docs/guide that shows an answer', () => {
  const pages = globSync('docs/guide/*.md').filter((file) => {
    const answers = shownAnswers(blocksOf(file));
    return answers.some((one) => !isLeftOut(one));
  });
  expect(pages.map((file) => basename(file, '.md')).toSorted()).toEqual(Object.keys(BEFORE).toSorted());
});

it.each(Object.keys(BEFORE))('shows what is answered: %s', async (page) => {
  const blocks = blocksOf(`docs/guide/${page}.md`);
  const answers = shownAnswers(blocks).filter((one) => !isLeftOut(one));
  const { fill = {}, file } = (await BEFORE[page]?.(blocks)) ?? {};
  expect(answers.length).toBeGreaterThan(0);
  for (const { place, command, answer } of answers) {
    const replaced = { ...fill, $CARILLON_KEY: world.liveKey };
    const filled = Object.entries(replaced).reduce((text, [name, value]) => text.replaceAll(name, value), command);
    const response = await askAs(filled, PUBLIC_URL, world.url, file);
    const shown = JSON.parse(answer.replaceAll(/(?<=:)…/g, '"…"')) as unknown;
    const actual = shape(await response.json(), shown);
    expect([place, JSON.stringify(actual, null, 2)]).toEqual([place, JSON.stringify(shape(shown, shown), null, 2)]);
  }
});
