/**
 * Fixtures in which the server sends the client a request, as in revisions before 2026-07-28. This server has no stream
 * for that, and the suite's list of expected failures says so.
 */
import type { ElicitRequestFormParams, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { text } from './contents.ts';

/** No answer will come, so the timeout is short. */
const WAIT = { timeout: 500 };

const Defaults = {
  type: 'object' as const,
  properties: {
    name: { type: 'string' as const, default: 'John Doe' },
    age: { type: 'integer' as const, default: 30 },
    score: { type: 'number' as const, default: 95.5 },
    status: { type: 'string' as const, enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean' as const, default: true },
  },
};

const Enums = {
  type: 'object' as const,
  properties: {
    untitledSingle: { type: 'string' as const, enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string' as const, oneOf: [{ const: 'value1', title: 'First Option' }] },
    legacyEnum: { type: 'string' as const, enum: ['opt1', 'opt2'], enumNames: ['Option One', 'Option Two'] },
    untitledMulti: { type: 'array' as const, items: { type: 'string' as const, enum: ['option1', 'option2'] } },
    titledMulti: { type: 'array' as const, items: { anyOf: [{ const: 'value1', title: 'First Choice' }] } },
  },
};

const User = {
  type: 'object' as const,
  properties: { username: { type: 'string' as const }, email: { type: 'string' as const } },
  required: ['username', 'email'],
};

export function registerPushingTools(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: 'Fixture that asks the client’s model.', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: 'user' as const, content: text(prompt) }];
      // eslint-disable-next-line typescript/no-deprecated -- the suite still asks for it
      const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 }, WAIT);
      return { content: [text(`LLM response: ${JSON.stringify(content)}`)] };
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Fixture that asks the person.', inputSchema: z.object({ message: z.string() }) },
    ({ message }, ctx) => elicit(ctx, message, User),
  );
  for (const [name, schema] of Object.entries({ sep1034_defaults: Defaults, sep1330_enums: Enums })) {
    const tool = `test_elicitation_${name}`;
    server.registerTool(tool, { description: `Fixture ${tool} of the conformance suite.` }, (ctx) =>
      elicit(ctx, 'Please answer.', schema as ElicitRequestFormParams['requestedSchema']),
    );
  }
}

async function elicit(
  { mcpReq }: ServerContext,
  message: string,
  requestedSchema: ElicitRequestFormParams['requestedSchema'],
) {
  // eslint-disable-next-line typescript/no-deprecated -- the suite still asks for it
  const { action, content } = await mcpReq.elicitInput({ mode: 'form', message, requestedSchema }, WAIT);
  return { content: [text(`User response: action=${action}, content=${JSON.stringify(content)}`)] };
}
