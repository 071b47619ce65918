/** Types of ensure-built.js. */
export function ensureBuilt(root: string, name: 'console' | 'server'): Promise<void>;
