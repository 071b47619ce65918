/**
 * Connects a host that starts local commands to the MCP endpoint of an install: what arrives on standard input is sent there,
 * and what comes back is written to standard output. The address and the key come from the environment.
 */
// oxlint-disable unicorn/prefer-add-event-listener -- transports have only these
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** JSON-RPC's code for an error of the server itself. */
const UNREACHABLE = -32_000;

const { CARILLON_URL = '', CARILLON_KEY = '' } = process.env;
if (!URL.canParse(CARILLON_URL) || CARILLON_KEY === '') {
  process.stderr.write('carillon: set CARILLON_URL to the address of your install, and CARILLON_KEY to a key of it\n');
  process.exit(1);
}

const headers = { 'x-api-key': CARILLON_KEY };
const install = new StreamableHTTPClientTransport(new URL('/mcp', CARILLON_URL), { requestInit: { headers } });
const host = new StdioServerTransport();

/** The revision that the host and the install agreed on, in revisions with a handshake. */
function agreedRevision(message: JSONRPCMessage): string | undefined {
  if (!('result' in message)) return undefined;
  const revision = (message.result as { readonly protocolVersion?: unknown }).protocolVersion;
  return typeof revision === 'string' ? revision : undefined;
}

host.onmessage = (message) => {
  install.send(message).catch((error: unknown) => {
    if (!('method' in message) || !('id' in message)) return;
    const text = `${CARILLON_URL} did not answer: ${error instanceof Error ? error.message : String(error)}`;
    void host.send({ jsonrpc: '2.0', id: message.id, error: { code: UNREACHABLE, message: text } });
  });
};
install.onmessage = (message) => {
  const revision = agreedRevision(message);
  if (revision !== undefined) install.setProtocolVersion(revision);
  void host.send(message);
};
host.onclose = () => void install.close();

await install.start();
await host.start();
