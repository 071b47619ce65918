/** Conformance fixtures that answer with each kind of content, with progress, with log messages and with an error. */
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { Clock } from '../../services/clock.ts';
import { audio, embedded, image, text } from './contents.ts';

/** Milliseconds between two notifications, as the suite requires. */
const PAUSE_MS = 50;

const contents: Record<string, CallToolResult['content']> = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [audio],
  test_embedded_resource: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
};

export function registerContentTools(server: McpServer, clock: Clock): void {
  for (const [name, content] of Object.entries(contents)) {
    server.registerTool(name, { description: `Fixture ${name} of the conformance suite.` }, () => ({ content }));
  }
  server.registerTool('test_error_handling', { description: 'Fixture that always fails.' }, () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }));
  server.registerTool('test_tool_with_progress', { description: 'Fixture that reports its progress.' }, (ctx) =>
    reportProgress(ctx, clock),
  );
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(name, { description: 'Fixture that sends log messages.' }, (ctx) => sendLogs(ctx, clock));
  }
}

async function reportProgress({ mcpReq }: ServerContext, clock: Clock): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    await clock.sleep(PAUSE_MS);
  }
  return { content: [text('Done.')] };
}

async function sendLogs({ mcpReq }: ServerContext, clock: Clock): Promise<CallToolResult> {
  for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    // eslint-disable-next-line typescript/no-deprecated -- the suite still asks for it
    await mcpReq.log('info', message);
    await clock.sleep(PAUSE_MS);
  }
  return { content: [text('Done.')] };
}
