/** Writes docs/configuration.md from the settings that the service declares: `npm run docs:configuration`. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { defaultOf, settingFacts } from '../server/setting.ts';
import { SETTING_GROUPS } from '../server/settings.ts';

const INTRODUCTION = `# Configuration

All settings are environment variables:

\`\`\`sh
PORT=3100 DATA_DIR=./data-second npm start
\`\`\`

If a value is malformed, the start fails with one line that names the variable. The same happens for a variable that
looks like a misspelling of one of these. An empty value counts as not set.

\`NODE_EXTRA_CA_CERTS\` works as in any Node.js program. Use it when a server you connect to has a certificate from a
private certificate authority.

This page is generated from the settings in \`server/settings.ts\` and \`server/platform-settings.ts\` by
\`npm run docs:configuration\`.
`;

/** The page. Throws for a setting that no facts are registered for. */
export function configurationPage(groups: typeof SETTING_GROUPS = SETTING_GROUPS): string {
  const sections = groups.map(([title, group]) => {
    const rows = Object.entries(group.shape).map(([name, schema]) => row(name, schema));
    return `## ${title}\n\n| Setting | Value | Default | Meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return [INTRODUCTION, ...sections].join('\n');
}

function row(name: string, schema: z.core.$ZodType): string {
  const facts = settingFacts.get(schema);
  if (facts === undefined) throw new Error(`${name} has no description: register one where it is declared`);
  const { type, unit, range, meaning } = facts;
  const bounds = [range, unit].filter((part) => part !== undefined).join(' ');
  const value = [choices(schema) ?? type, bounds].filter((part) => part !== '').join(', ');
  return `| \`${name}\` | ${value} | ${defaultCell(schema)} | ${meaning} |`;
}

/** The values of a choice; null for other schemas. */
function choices(schema: z.core.$ZodType): string | null {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return choices(schema.def.innerType);
  return schema instanceof z.ZodEnum ? `one of ${schema.options.map((option) => `\`${option}\``).join(', ')}` : null;
}

/** The default; an empty list means the same to the operator as none. */
function defaultCell(schema: z.core.$ZodType): string {
  const value = defaultOf(schema);
  return value === '' ? 'unset' : `\`${value}\``;
}

if (import.meta.main) {
  writeFileSync(path.join(import.meta.dirname, '../docs/configuration.md'), configurationPage());
}
