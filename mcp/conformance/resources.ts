/** Fixtures for reading and subscribing. */
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { PNG } from './contents.ts';

export function registerConformanceResources(server: McpServer): void {
  const [static_, binary] = ['test://static-text', 'test://static-binary'];
  const texts = {
    [static_]: 'This is the content of the static text resource.',
    'test://watched-resource': 'Watched.',
  };
  for (const [uri, words] of Object.entries(texts)) {
    const config = { description: 'Fixture of the conformance suite.', mimeType: 'text/plain' };
    server.registerResource(uri, uri, config, () => ({ contents: [{ uri, mimeType: 'text/plain', text: words }] }));
  }
  const picture = { description: 'Fixture of the conformance suite.', mimeType: 'image/png' };
  server.registerResource(binary, binary, picture, () => ({
    contents: [{ uri: binary, mimeType: 'image/png', blob: PNG }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('test-template', template, { description: 'Fixture of the suite.' }, ({ href }, { id }) => {
    const data = { id, templateTest: true, data: `Data for ID: ${String(id)}` };
    return { contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify(data) }] };
  });
  // Nothing here ever changes, so subscriptions are not stored.
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
}
