/** Skills: know-how that a client can give its model when the work begins, from the folders in skills/. */
import { join } from 'node:path';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';

/** They change only with the version. A skill that breaks a rule stops the start. */
export const skills = await loadSkills(join(import.meta.dirname, 'skills'), {
  strict: true,
  cacheHint: { ttlMs: 300_000, cacheScope: 'private' },
});
