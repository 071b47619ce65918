/** The settings that the operator must still provide before a platform can be used on this install. */
import type { AnyPlatform } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';

/** Names of settings; empty when none is missing. */
export function missingSettings({ config, mail }: Context, { needs }: AnyPlatform): readonly string[] {
  return needs === undefined || needs.isMet({ apps: config.apps, mail }) ? [] : needs.settings;
}
