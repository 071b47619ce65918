/**
 * No text from a caller breaks an operation. NUL, an unpaired surrogate, a long text and values of other types are
 * refused in words, on every surface. The test follows the router, so it covers a new operation automatically.
 */
import type { CallToolResult } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { declaredErrors } from '../../routers/declared-errors.ts';
import { type Operation, operations } from '../../routers/operations.ts';
import { APART } from '../../routers/toolsets.ts';
import { callHostile, placeOf } from '../harness/hostile-call.ts';
import { inputWith, type StringInput, stringInputs } from '../harness/string-inputs.ts';
import { startWorld } from '../harness/world.ts';
import { connect } from '../mcp/clients.ts';

const world = await startWorld();
const mcp = await Promise.all(
  ['/mcp/all', ...[...APART].map((toolset) => `/mcp/x/${toolset}`)].map((path) =>
    connect(world, 'modern', world.liveKey, path),
  ),
);

const UNSTORABLE = { NUL: 'a\u0000b', 'a high surrogate': 'a\ud83d', 'a low surrogate': '\udd14b' };
/** Nearly the largest body. */
const MEGABYTE = 'a'.repeat(1_000_000);
/** Enough for a text with a lower maximum, and faster to check. */
const LONG = 'a'.repeat(100_000);
const NO_TEXT = { 'a number': 7, 'a boolean': true, 'an array': [], 'an object': { a: 1 }, null: null };

/** Longest text that fits into an address. */
const ADDRESS_MAX = 10_000;

const texts = operations.flatMap((operation) =>
  stringInputs(operation).map((text) => ({ name: `${operation.name} ${text.path.join('.')}`, operation, text })),
);

/**
 * Ids and slugs whose form the service validates, because the contract gives each fault a separate code; with their
 * other required fields.
 */
const CHECKED_BY_THE_SERVICE: Record<string, (id: string) => Record<string, unknown>> = {
  'posts.create mediaIds.0': (id) => ({ ...aPost(), mediaIds: [id] }),
  'posts.create media.0.id': (id) => ({ ...aPost(), media: [{ id }] }),
  'posts.validate mediaIds.0': (id) => ({ ...aPost(), mediaIds: [id] }),
  'posts.validate media.0.id': (id) => ({ ...aPost(), media: [{ id }] }),
  'posts.update mediaIds.0': (id) => ({ postId: draftId, mediaIds: [id] }),
  'posts.update media.0.id': (id) => ({ postId: draftId, media: [{ id }] }),
  'approvals.approve mediaIds.0': (id) => ({ postId: waitingId, mediaIds: [id] }),
  'approvals.approve media.0.id': (id) => ({ postId: waitingId, media: [{ id }] }),
  'posts.create connectionSlugs.0': (slug) => ({ text: 'Hello', connectionSlugs: [slug] }),
  // With a text, it answers for each slug separately.
  'posts.validate connectionSlugs.0': (slug) => ({ connectionSlugs: [slug] }),
  'posts.rewrite connectionSlug': (connectionSlug) => ({ connectionSlug, text: 'Hello' }),
  'posts.createSimple connectionSlug': (connectionSlug) => ({ connectionSlug, text: 'Hello' }),
  'posts.delete postId': (postId) => ({ postId }),
};

const aPost = () => ({ text: 'Hello', connectionSlugs: [world.sandboxSlug] });
const { body: drafted } = await world.rest('POST /posts', { body: { ...aPost(), isDraft: true } });
const draftId: string = drafted.results[0].postId;
const asking = await world.key({ approval: 'required' });
const asked = await world.rest('POST /posts', { key: asking.secret, body: aPost() });
const waitingId: string = asked.body.results[0].postId;

function refuses({ schema }: StringInput, value: unknown): boolean {
  return !schema.safeParse(value).success;
}

/** Whether only a megabyte is certain to be too long: the schema allows more, or another check finds the fault. */
function takesMegabyte(text: StringInput): boolean {
  return !refuses(text, LONG);
}

function isRefusal(operation: Operation, status: number, body: { error?: string; message?: string }): boolean {
  const declared: readonly (string | undefined)[] = [...declaredErrors(operation.meta), 'not_found'];
  return status >= 400 && status < 500 && declared.includes(body.error) && (body.message ?? '').length > 10;
}

describe('the schema of every text', () => {
  it('refuses text that cannot be stored, and has a maximum length', () => {
    // Base64 is as long as an image. A pattern that repeats a group, or has the flag u, exceeds the engine's stack on
    // such texts, unless the length ends the check first.
    const long = ['a'.repeat(16_000_000), 'a.'.repeat(8_000_000), 'я'.repeat(16_000_000)];
    const samples = [...Object.values(UNSTORABLE), ...long];
    const isRefusedAt = ({ operation, text }: (typeof texts)[number], sample: string) => {
      const issues = operation.input.safeParse(inputWith(text.path, sample)).error?.issues ?? [];
      return issues.some(({ path }) => path.join('.') === text.path.join('.'));
    };
    const open = texts.filter((text) => !samples.every((sample) => isRefusedAt(text, sample)));

    expect(texts.length).toBeGreaterThan(80);
    expect(open.map(({ name }) => name).toSorted()).toEqual(Object.keys(CHECKED_BY_THE_SERVICE).toSorted());
  });
});

it('a megabyte is sent as the text of a post, and wherever less is not certain to be too long', () => {
  const names = texts.filter(({ text }) => takesMegabyte(text)).map(({ name }) => name);

  expect(names).toEqual(expect.arrayContaining(['posts.create text', 'imports.start content']));
});

describe.for(texts)('$name', ({ name, operation, text }) => {
  const isUnknown = !refuses(text, 7);
  const wrong: Record<string, unknown> = {
    ...UNSTORABLE,
    ...(takesMegabyte(text) ? { 'a megabyte': MEGABYTE } : { '100 kilobytes': LONG }),
    ...(isUnknown ? {} : NO_TEXT),
  };
  if (text.isNullable) delete wrong['null'];
  const checked = CHECKED_BY_THE_SERVICE[name];
  const inputOf = (value: unknown) =>
    checked !== undefined && typeof value === 'string' ? checked(value) : inputWith(text.path, value);

  it('is refused over REST', async () => {
    const place = placeOf(operation, text.path);
    const bad: object[] = [];
    for (const [kind, value] of Object.entries(wrong)) {
      if (place !== 'body' && typeof value !== 'string') continue;
      const sent = place === 'body' ? value : String(value).slice(0, ADDRESS_MAX);
      const answer = await callHostile(world, operation, inputOf(sent));
      // An address carries an unpaired surrogate as bytes that decode to other characters.
      const isLost = place !== 'body' && kind.includes('surrogate');
      const isGood = isLost ? answer.status < 500 : isRefusal(operation, answer.status, answer.body);
      if (!isGood) bad.push({ kind, status: answer.status, body: JSON.stringify(answer.body).slice(0, 300) });
    }
    expect(bad).toEqual([]);
  });

  it('is refused by the typed client', async () => {
    const isQuery = operation.procedure._def.type === 'query';
    const bad: object[] = [];
    for (const [kind, value] of Object.entries(wrong)) {
      const sent = isQuery && typeof value === 'string' ? value.slice(0, ADDRESS_MAX) : value;
      const input = JSON.stringify(inputOf(sent));
      const response = await fetch(
        `${world.url}/trpc/${operation.name}${isQuery ? `?input=${encodeURIComponent(input)}` : ''}`,
        {
          method: isQuery ? 'GET' : 'POST',
          headers: { 'x-api-key': world.liveKey, 'content-type': 'application/json' },
          ...(isQuery ? {} : { body: input }),
        },
      );
      const { error } = (await response.json()) as { error?: { data: { error: object } } };
      if (!isRefusal(operation, response.status, error?.data.error ?? {}))
        bad.push({ kind, status: response.status, body: JSON.stringify(error ?? null).slice(0, 300) });
    }
    expect(bad).toEqual([]);
  });

  const { tool } = operation.meta;
  it.skipIf('none' in tool)('is refused over MCP', async () => {
    if ('none' in tool) return;
    const client = mcp[1 + [...APART].indexOf(tool.toolset)];
    for (const [kind, value] of Object.entries(wrong)) {
      const called = (await client?.callTool({ name: tool.name, arguments: inputOf(value) })) as CallToolResult;
      const said = JSON.stringify(called.content);
      expect({ kind, isRefused: called.isError === true && !said.includes('internal_server_error') }).toEqual({
        kind,
        isRefused: true,
      });
    }
  });
});
