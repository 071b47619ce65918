/** The settings that the operator must still provide before a platform can be used on this install. */
import type { AnyPlatform } from '../../platforms/contract.ts';
import { requiredSettings } from '../../platforms/settings.ts';
import type { Context } from '../context.ts';

/** Names of settings; empty when none is missing. */
export function missingSettings({ config, mail }: Context, { needs }: AnyPlatform): readonly string[] {
  return needs === undefined || needs.isMet({ apps: config.apps, mail }) ? [] : needs.settings;
}

/** Names of the settings without which the hosted page does not offer the platform. */
export function missingPageSettings({ config }: Context, { hosted, settings }: AnyPlatform): readonly string[] {
  if (hosted?.oauth === undefined || hosted.oauth.isSetUp(config.apps, config.endpoints)) return [];
  return settings?.app === undefined ? [] : requiredSettings(settings.app);
}
