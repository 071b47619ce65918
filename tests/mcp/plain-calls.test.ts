/** A plain call of a tool is answered without a server of the SDK, and exactly as the SDK answers it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../harness/world.ts';
import { callRaw, MODERN, type RawAnswer } from './clients.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.rest('POST /posts', {
    body: { text: 'Ding "dong" \\ — ü\n\u2028', connectionSlugs: [world.sandboxSlug] },
  });
});

interface Call {
  readonly params: Record<string, unknown>;
  readonly headers?: Record<string, string | undefined>;
  /** Fields of the message beside those of a call. */
  readonly besides?: Record<string, unknown>;
  readonly path?: string;
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A field that asks for nothing; calls that have it are left to the SDK. */
const UNKNOWN = { 'example.org/note': 'x' };

type Era = (call: Call) => Promise<RawAnswer>;

const modern: Era = ({ params, headers, besides, path }) =>
  callRaw(world, {
    path: path ?? '/mcp/all',
    headers: {
      'mcp-protocol-version': MODERN,
      'mcp-method': 'tools/call',
      'mcp-name': String(params['name']),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { ...params, _meta: { ...ENVELOPE, ...(params['_meta'] as object | undefined) } },
      ...besides,
    }),
  });

const older: Era = ({ params, headers = {}, besides, path }) =>
  callRaw(world, {
    path: path ?? '/mcp/all',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 'seven', method: 'tools/call', params, ...besides }),
  });

const eras: [string, Era][] = [
  [MODERN, modern],
  ['the revisions before it', older],
];

/** What differs between any two requests. */
const PER_REQUEST = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'content-length'];

function comparable({ status, headers, body }: RawAnswer) {
  const kept = Object.entries(headers).filter(([name]) => !PER_REQUEST.includes(name));
  return { status, headers: Object.fromEntries(kept), body };
}

describe.each(eras)('%s', (_name, call) => {
  const both = async (made: Call) => {
    const plain = await call(made);
    const bySdk = await call({ ...made, params: { ...made.params, _meta: UNKNOWN } });
    return { plain: comparable(plain), bySdk: comparable(bySdk) };
  };

  it.each<[string, Call]>([
    ['a list', { params: { name: 'list_posts', arguments: { limit: 25 } } }],
    ['no arguments', { params: { name: 'list_connections' } }],
    ['an answer with text from outside', { params: { name: 'list_connections', arguments: {} } }],
    ['a refused argument', { params: { name: 'list_posts', arguments: { limit: 'ten' } } }],
    ['an unknown argument', { params: { name: 'list_posts', arguments: { colour: 'red' } } }],
    [
      'an unknown object',
      { params: { name: 'get_post', arguments: { postId: '01a20996-bc11-70a3-baf5-b2f8c4ace813' } } },
    ],
    ['a path with fewer tools', { params: { name: 'list_posts', arguments: {} }, path: '/mcp/readonly' }],
  ])('answers %s as the SDK does', async (_case, made) => {
    const { plain, bySdk } = await both(made);

    expect(plain).toEqual(bySdk);
    expect(plain.status).toBe(200);
  });

  it('links to what it made, as the SDK does', async () => {
    const body = { text: 'Dong', connectionSlugs: [world.sandboxSlug] };
    const [first, second] = [
      await call({
        params: { name: 'create_post', arguments: body },
        headers: { 'mcp-protocol-version': revisionOf(call) },
      }),
      await call({
        params: { name: 'create_post', arguments: body, _meta: UNKNOWN },
        headers: { 'mcp-protocol-version': revisionOf(call) },
      }),
    ];

    const shapeOf = ({ body: { result } }: RawAnswer) => ({
      fields: Object.keys(result),
      content: result.content.map(({ type, name }: { type: string; name?: string }) => [type, name?.slice(0, 5)]),
    });
    expect(shapeOf(first)).toEqual(shapeOf(second));
    expect(shapeOf(first).content).toEqual([
      ['text', undefined],
      ['resource_link', 'post '],
    ]);
  });

  it.each<[string, Call, { modern: number; older: number }]>([
    [
      'a method that the body does not name',
      { params: { name: 'list_posts' }, headers: { 'mcp-method': 'tools/list' } },
      { modern: 400, older: 200 },
    ],
    [
      'a tool that the body does not name',
      { params: { name: 'list_posts' }, headers: { 'mcp-name': 'get_post' } },
      { modern: 400, older: 200 },
    ],
    [
      'no name in the headers',
      { params: { name: 'list_posts' }, headers: { 'mcp-name': undefined } },
      { modern: 400, older: 200 },
    ],
    [
      'another revision than the body',
      { params: { name: 'list_posts' }, headers: { 'mcp-protocol-version': '2025-11-25' } },
      { modern: 400, older: 200 },
    ],
    [
      'an unknown revision',
      { params: { name: 'list_posts' }, headers: { 'mcp-protocol-version': '1999-01-01' } },
      { modern: 400, older: 400 },
    ],
    [
      'a text that is not JSON',
      { params: { name: 'list_posts' }, headers: { 'content-type': 'text/plain' } },
      { modern: 415, older: 415 },
    ],
    ['an id that is no id', { params: { name: 'list_posts' }, besides: { id: { a: 1 } } }, { modern: 400, older: 400 }],
    ['a fraction as id', { params: { name: 'list_posts' }, besides: { id: 1.5 } }, { modern: 400, older: 400 }],
    ['another protocol', { params: { name: 'list_posts' }, besides: { jsonrpc: '1.0' } }, { modern: 400, older: 400 }],
    [
      'a field beside the message',
      { params: { name: 'list_posts' }, besides: { extra: 1 } },
      { modern: 400, older: 400 },
    ],
  ])('refuses %s, as the SDK does', async (_case, made, statuses) => {
    const answer = await call(made);

    expect(answer.status).toBe(call === modern ? statuses.modern : statuses.older);
    expect(comparable(await call(made))).toEqual(comparable(answer));
    expect(comparable(answer)).toEqual(comparable(await call({ ...made, params: { ...made.params, _meta: UNKNOWN } })));
  });
});

function revisionOf(call: Era): string {
  return call === modern ? MODERN : '2025-11-25';
}
