/** What an install prints when it is ready: its addresses and, on the first start, the first key. */
import type { Context } from '../services/context.ts';
import type { NewOwnerLink } from '../services/people/owner-links.ts';
import type { FirstStart } from '../services/setup/first-start.ts';

/** @param first what the first start created; null on every later start */
export function announcement(context: Context, first: FirstStart | null): string {
  const { publicUrl } = context.config;
  const lines = [
    '',
    `  Carillon ${context.version} is ready.`,
    '',
    `  REST      ${publicUrl}/api/v2`,
    `  MCP       ${publicUrl}/mcp`,
    `  Docs      ${publicUrl}/docs`,
    `  Console   ${publicUrl}/`,
    '',
  ];
  return [...lines, ...(first === null ? [] : firstLines(publicUrl, first)), ''].join('\n');
}

/** The text printed while no owner can sign in. */
export function ownerAnnouncement(link: NewOwnerLink): string {
  return [
    '  Choose the email and password you sign in with. The link works once, for an hour:',
    '',
    `  ${link.url}`,
    '',
    '',
  ].join('\n');
}

/** A key that the operator chose is named, not shown: what is printed here ends up in logs. */
function firstLines(publicUrl: string, first: FirstStart): string[] {
  const key = first.generatedKey;
  const shown =
    key === null ? [] : [`  Live key  ${key}`, '            Keep it: it is shown this once and stored nowhere.', ''];
  return [
    ...shown,
    '  Publish a first post to the sandbox:',
    '',
    `  curl -s ${publicUrl}/api/v2/posts \\`,
    `    -H ${key === null ? '"x-api-key: $BOOTSTRAP_LIVE_KEY"' : `'x-api-key: ${key}'`} -H 'content-type: application/json' \\`,
    `    -d '{"text":"Hello from Carillon","connectionSlugs":["${first.sandboxSlug}"]}'`,
    '',
  ];
}
