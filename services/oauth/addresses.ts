/** The names of this install in OAuth (RFC 8707, RFC 9728). */
import type { Config } from '../config.ts';

/**
 * What access tokens are for, each for one: the MCP endpoint with any toolset, and the API, which is REST, tRPC and the event
 * stream (docs/decisions/0108-accept-access-tokens-of-the-api-on-rest.md).
 */
export const RESOURCES = { mcp: '/mcp', api: '/api/v2' } as const;

export type ResourceName = keyof typeof RESOURCES;

export const RESOURCE_NAMES = Object.keys(RESOURCES) as ResourceName[];

export function resourceOf({ publicUrl }: Pick<Config, 'publicUrl'>, name: ResourceName): string {
  return `${publicUrl}${RESOURCES[name]}`;
}

/** The name of an indicated resource; undefined for any other. */
export function resourceNamed(config: Pick<Config, 'publicUrl'>, indicated: unknown): ResourceName | undefined {
  return RESOURCE_NAMES.find((name) => resourceOf(config, name) === indicated);
}

/** Where clients read which authorization server issues access tokens. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

export function resourceMetadataUrl({ publicUrl }: Pick<Config, 'publicUrl'>, name: ResourceName): string {
  return `${publicUrl}${RESOURCE_METADATA_PATH}${RESOURCES[name]}`;
}
