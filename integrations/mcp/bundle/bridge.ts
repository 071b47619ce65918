/**
 * Connects a host that starts local commands to the MCP endpoint of an install: what arrives on standard input is sent there,
 * and what comes back is written to standard output. The address and the key come from the environment.
 */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { connectHost } from './connect-host.ts';

const { CARILLON_URL = '', CARILLON_KEY = '' } = process.env;
if (!URL.canParse(CARILLON_URL) || CARILLON_KEY === '') {
  process.stderr.write('carillon: set CARILLON_URL to the address of your install, and CARILLON_KEY to a key of it\n');
  process.exit(1);
}

const headers = { 'x-api-key': CARILLON_KEY };
const install = new StreamableHTTPClientTransport(new URL('/mcp', CARILLON_URL), { requestInit: { headers } });
const host = new StdioServerTransport();
connectHost(host, install, CARILLON_URL);
await install.start();
await host.start();
