/** The names of this install in OAuth (RFC 8707, RFC 9728). */
import type { Config } from '../config.ts';

/** The only resource that access tokens are for: the MCP endpoint, with any toolset. */
export function resourceOf({ publicUrl }: Config): string {
  return `${publicUrl}/mcp`;
}

/** Where clients read which authorization server issues access tokens. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

export function resourceMetadataUrl({ publicUrl }: Config): string {
  return `${publicUrl}${RESOURCE_METADATA_PATH}/mcp`;
}
