/**
 * Selects the tools of a path: `/mcp` the default ones, `/mcp/x/{toolset}` those of a toolset, `/mcp/all` all; with
 * `/readonly` only those that change nothing.
 */
import { APART, DEFAULT_TOOLSET, TOOLSETS, type Toolset } from '../routers/toolsets.ts';

export interface ToolSelection {
  /** Null for all toolsets except the separate ones. */
  readonly toolset: Toolset | null;
  readonly readOnly: boolean;
}

const PATH = /^\/mcp(?:\/(?<all>all)|\/x\/(?<toolset>[^/]+))?(?<readOnly>\/readonly)?\/?$/;

/** The selection of a path; null when the path does not exist. */
export function selectionAt(path: string): ToolSelection | null {
  const groups = PATH.exec(path)?.groups;
  if (groups === undefined) return null;
  const { all, toolset = DEFAULT_TOOLSET, readOnly } = groups;
  if (!isToolset(toolset)) return null;
  return { toolset: all === undefined ? toolset : null, readOnly: readOnly !== undefined };
}

export function isSelected(
  { toolset, readOnly }: ToolSelection,
  tool: { readonly toolset: Toolset; readonly readOnly: boolean },
): boolean {
  if (readOnly && !tool.readOnly) return false;
  return toolset === null ? !APART.has(tool.toolset) : toolset === tool.toolset;
}

/** An error message that lists the existing paths. */
export function unknownSelection(path: string): string {
  const toolsets = Object.keys(TOOLSETS).join(', ');
  return `There are no tools at ${path.slice(0, 100)}. Use /mcp, /mcp/all or /mcp/x/{toolset} with one of the toolsets ${toolsets}; each can be followed by /readonly.`;
}

function isToolset(name: string): name is Toolset {
  return Object.hasOwn(TOOLSETS, name);
}
