/** Before an irreversible tool call, the client asks a person to confirm, if it supports elicitation. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../harness/world.ts';
import { callRaw, type RawAnswer, connect, connectV1, legacy, MODERN } from './clients.ts';

type Answer = { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: Record<string, boolean> };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});

const newPost = async (): Promise<string> => {
  const body = { text: 'Ding', connectionSlugs: [world.sandboxSlug] };
  return (await world.rest('POST /posts', { body })).body.results[0].postId;
};
const statusOf = async (postId: string) => (await world.rest(`GET /posts/${postId}`)).body.post.status;

/** A client whose user answers questions. */
async function answering(answer: Answer, asked: string[] = []): Promise<Client> {
  const client = new Client(
    { name: 'carillon-tests', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: MODERN } } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    return answer;
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), {
      requestInit: { headers: { 'x-api-key': world.liveKey } },
    }),
  );
  return client;
}

/** A raw call of delete_post. */
function callDelete(postId: string, more: object = {}, key = world.liveKey): Promise<RawAnswer> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  return callRaw(world, {
    headers: {
      'x-api-key': key,
      'mcp-protocol-version': MODERN,
      'mcp-method': 'tools/call',
      'mcp-name': 'delete_post',
    },
    body: legacy('tools/call', { name: 'delete_post', arguments: { postId }, _meta: meta, ...more }),
  });
}

const YES = { confirm: { action: 'accept', content: { yes: true } } };

describe('a client that can ask', () => {
  it('asks once, with the action and its object, and then runs it', async () => {
    const postId = await newPost();
    const asked: string[] = [];
    const client = await answering({ action: 'accept', content: { yes: true } }, asked);

    const result = await client.callTool({ name: 'delete_post', arguments: { postId } });

    expect(asked).toEqual([
      `Delete this post? One that is out is taken down from its platform; one that waits is cancelled.\n\ndelete_post {"postId":"${postId}"}`,
    ]);
    expect(result.structuredContent).toMatchObject({ id: postId, status: 'deleted' });
    expect(await statusOf(postId)).toBe('deleted');
  });

  it.each<[string, Answer]>([
    ['declined', { action: 'decline' }],
    ['cancelled', { action: 'cancel' }],
    ['accepted with no', { action: 'accept', content: { yes: false } }],
  ])('does nothing when it was %s, and says so', async (_name, answer) => {
    const postId = await newPost();
    const client = await answering(answer);
    await client.listTools();

    const result = await client.callTool({ name: 'delete_post', arguments: { postId } });

    expect(result.isError).toBe(true);
    expect(result.content).toEqual([
      {
        type: 'text',
        text: 'Nothing was done: the person who was asked did not agree. Call delete_post again only when they ask for it.',
      },
    ]);
    expect(await statusOf(postId)).toBe('sent');
  });

  it('is not asked about a call that is refused anyway, or that is reversible', async () => {
    const asked: string[] = [];
    const client = await answering({ action: 'decline' }, asked);
    const { results } = (
      await client.callTool({
        name: 'create_post',
        arguments: { text: 'Ding', connectionSlugs: [world.sandboxSlug], isDraft: true },
      })
    ).structuredContent as { results: { postId: string }[] };

    const edited = await client.callTool({
      name: 'update_draft',
      arguments: { postId: results[0]?.postId, text: 'Dong' },
    });
    const refused = await client.callTool({ name: 'delete_post', arguments: { postId: 'one', postIds: ['two'] } });

    expect(edited.isError ?? false).toBe(false);
    expect(JSON.stringify(refused.content)).toContain('postIds');
    expect(asked).toEqual([]);
  });
});

describe('a client that cannot ask', () => {
  it.each([
    ['2026-07-28', () => connect(world, 'modern')],
    ['2025-11-25', () => connect(world, 'legacy')],
    ['the v1 client', () => connectV1(world) as unknown as ReturnType<typeof connect>],
  ])('%s: runs the call at once', async (_name, open) => {
    const postId = await newPost();
    const client = await open();

    const result = await client.callTool({ name: 'delete_post', arguments: { postId } });

    expect(result.structuredContent).toMatchObject({ id: postId, status: 'deleted' });
  });
});

describe('the token that travels with the question', () => {
  it('is required: an answer without one is asked for again', async () => {
    const postId = await newPost();

    const answer = await callDelete(postId, { inputResponses: YES });

    expect(answer.body.result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    expect(await statusOf(postId)).toBe('sent');
  });

  it('limits a confirmation to one action, one caller and the given arguments', async () => {
    const [postId, other] = [await newPost(), await newPost()];
    const { requestState } = (await callDelete(postId)).body.result;
    const foreign = await world.key();
    const tampered = `${requestState.slice(0, -4)}AAAA`;

    const forAnother = await callDelete(other, { requestState, inputResponses: YES });
    const refusals = [
      await callDelete(postId, { requestState: tampered, inputResponses: YES }),
      await callDelete(postId, { requestState: 'v1.e30.AAAA', inputResponses: YES }),
      await callDelete(postId, { requestState, inputResponses: YES }, foreign.secret),
    ];

    expect(forAnother.body.result.content[0].text).toMatch(/^invalid_request: requestState: it belongs to another/);
    for (const { body } of refusals) expect(body.error).toMatchObject({ code: -32_602 });
    expect([await statusOf(postId), await statusOf(other)]).toEqual(['sent', 'sent']);
    const agreed = await callDelete(postId, { requestState, inputResponses: YES });
    expect(agreed.body.result.structuredContent).toMatchObject({ id: postId, status: 'deleted' });
  });
});
