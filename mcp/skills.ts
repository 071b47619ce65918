/** Skills: knowledge that a client can give its model when the work begins, from the folders in skills/. */
import { join } from 'node:path';
import type { McpServer } from '@modelcontextprotocol/server';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';

/** Skills change only with the version. An invalid skill stops the start. */
const skills = await loadSkills(join(import.meta.dirname, 'skills'), {
  strict: true,
  cacheHint: { ttlMs: 300_000, cacheScope: 'private' },
});

/** Description of the template through which all files of skills are read. */
const DESCRIBED = {
  title: 'Files of skills',
  description:
    'Instructions for working with this server, one file each: begin with the SKILL.md that resources/list names, which refers to the others.',
};

/** Registers the skills, before the server connects. */
export function registerSkills(server: McpServer): void {
  const register = server.registerResource.bind(server) as (...parts: unknown[]) => unknown;
  // The extension registers its template without a description and has no option for one.
  server.registerResource = ((name: unknown, template: unknown, config: object, read: unknown) =>
    register(name, template, { ...DESCRIBED, ...config }, read)) as typeof server.registerResource;
  skills.attach(server);
  Reflect.deleteProperty(server, 'registerResource');
}
