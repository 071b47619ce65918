/** docs/configuration.md is generated from the settings, and every setting has a description. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { configurationPage } from '../../scripts/configuration.ts';
import { Environment, SETTING_GROUPS } from '../../server/settings.ts';

it('is what `npm run docs:configuration` writes', () => {
  expect(readFileSync('docs/configuration.md', 'utf8')).toBe(configurationPage());
});

it('has every variable that the service reads, once, in the same order', () => {
  const documented = [...configurationPage().matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name);

  expect(documented.length).toBeGreaterThan(60);
  expect(documented).toEqual(Object.keys(Environment.shape));
});

it('cannot be written for a setting without a description', () => {
  const added = z.object({ NEW_SETTING: z.string().optional() });

  expect(() => configurationPage([...SETTING_GROUPS, ['New', added]])).toThrow(/^NEW_SETTING has no description/);
});
