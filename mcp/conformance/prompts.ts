/** Prompt fixtures: with and without arguments, with each kind of content, and one that asks first. */
import { completable, inputRequired, inputResponse, type McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { embedded, image, text } from './contents.ts';

const description = 'Fixture of the conformance suite.';

const said = (...contents: (ReturnType<typeof text> | ReturnType<typeof embedded> | typeof image)[]) => ({
  messages: contents.map((content) => ({ role: 'user' as const, content })),
});

const cities = completable(z.string().describe('First test argument.'), (begun) =>
  ['paris', 'park', 'party'].filter((city) => city.startsWith(begun)),
);

export function registerConformancePrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description }, () =>
    said(text('This is a simple prompt for testing.')),
  );
  server.registerPrompt('test_prompt_with_image', { description }, () =>
    said(image, text('Please analyze the image above.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description, argsSchema: z.object({ arg1: cities, arg2: z.string().describe('Second test argument.') }) },
    ({ arg1, arg2 }) => said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description, argsSchema: z.object({ resourceUri: z.string().describe('URI of the resource to embed.') }) },
    ({ resourceUri }) =>
      said(
        embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  );
  server.registerPrompt('test_input_required_result_prompt', { description }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'user_context');
    if (answer.kind === 'elicit') return said(text(JSON.stringify(answer.content)));
    const requestedSchema = {
      type: 'object' as const,
      properties: { context: { type: 'string' as const } },
      required: ['context'],
    };
    const question = { message: 'What context should the prompt use?', requestedSchema };
    return inputRequired({ inputRequests: { user_context: inputRequired.elicit(question) } });
  });
}
