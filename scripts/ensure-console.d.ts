/** Types of ensure-console.js. */
export function ensureConsole(root: string): Promise<void>;
