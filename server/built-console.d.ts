/** Types of built-console.js. */
export const CONSOLE_DIST: string;
export function hashSources(root: string): string;
export function isConsoleBuilt(root: string): boolean;
export function isConsoleOutdated(root: string): boolean;
