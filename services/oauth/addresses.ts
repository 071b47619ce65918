/** What this install is called where agents ask for access (RFC 8707, RFC 9728). */
import type { Config } from '../config.ts';

/** The one resource that access tokens are for: the MCP endpoint, whatever toolset of it is asked. */
export function resourceOf({ publicUrl }: Config): string {
  return `${publicUrl}/mcp`;
}

/** Where clients read who gives out access tokens. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

export function resourceMetadataUrl({ publicUrl }: Config): string {
  return `${publicUrl}${RESOURCE_METADATA_PATH}/mcp`;
}
