/** What docs/configuration.md says about a setting. Each setting is registered where its schema is declared. */
import { z } from 'zod';

interface SettingFacts {
  /** Kind of value, such as `whole number`. Choices come from the schema. */
  readonly type: string;
  readonly unit?: string;
  /** Permitted values, in words. */
  readonly range?: string;
  /** What it does, and what holds while it is not set. Markdown; links are relative to docs/. */
  readonly meaning: string;
}

export const settingFacts = z.registry<SettingFacts>();

/**
 * Types whose values anyone who runs the install may see. Values of every other type, such as addresses with a password
 * in them, never leave the process.
 */
const SHOWN_TYPES: ReadonlySet<string> = new Set([
  'port',
  'host or IP address',
  'origin',
  'path',
  'choice',
  'whole number',
  'number',
  'text',
  'instant',
  'email address',
  'list of networks',
  'list of scopes',
  'whole number, list or `true`',
  '`1`',
]);

export function isShown({ type }: Pick<SettingFacts, 'type'>): boolean {
  return SHOWN_TYPES.has(type);
}

/** The default as the operator would write it; empty for none, and for an empty list. */
export function defaultOf(schema: z.core.$ZodType): string {
  const hasDefault = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return hasDefault ? String(schema.def.defaultValue) : '';
}
