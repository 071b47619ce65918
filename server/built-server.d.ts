/** Types of built-server.js. */
export const SERVER_DIST: string;
export function builtServer(root: string): string | undefined;
