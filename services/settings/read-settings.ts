/** What a person sees of the install: its settings without secrets, and what each platform still needs. */
import { PLATFORM_IDS, platformOf } from '../../platforms/registry.ts';
import type { AnyPlatform } from '../../platforms/contract.ts';
import type { InstalledSetting } from '../config.ts';
import { callbackUrl } from '../connect/oauth-io.ts';
import { missingPageSettings, missingSettings } from '../connections/missing-settings.ts';
import type { Context } from '../context.ts';

export interface SettingGroupView {
  title: string;
  settings: Omit<InstalledSetting, 'group'>[];
}

export interface PlatformSetupView {
  id: string;
  name: string;
  /** Whether accounts can be connected on the hosted page, or with credentials where there is no page. */
  isReady: boolean;
  missingSettings: string[];
  /** Further settings of its app that are not set. */
  optionalSettings: string[];
  registerAppAt: string | null;
  /** The address to enter in the settings of the app; null for a platform without such a page. */
  redirectUri: string | null;
  /** Path of its page in the documentation of this version. */
  docs: string;
}

export interface InstallView {
  version: string;
  publicUrl: string;
  groups: SettingGroupView[];
  platforms: PlatformSetupView[];
}

export function readSettings(context: Context): InstallView {
  const { config, version } = context;
  const titles = [...new Set(config.settings.map(({ group }) => group))];
  return {
    version,
    publicUrl: config.publicUrl,
    groups: titles.map((title) => ({
      title,
      settings: config.settings
        .filter(({ group }) => group === title)
        .map(({ group: _group, meaning, ...setting }) => ({ ...setting, meaning: withoutLinks(meaning) })),
    })),
    platforms: PLATFORM_IDS.map((id) => setupOf(context, platformOf(context.platforms, id))),
  };
}

function setupOf(context: Context, platform: AnyPlatform): PlatformSetupView {
  const { id, name, hosted, settings } = platform;
  const missing = [...new Set([...missingSettings(context, platform), ...missingPageSettings(context, platform)])];
  const ofApp = Object.keys(settings?.app?.settings ?? {});
  const isSet = (wanted: string) => context.config.settings.some((one) => one.name === wanted && one.isSet);
  const hasPage = hosted?.oauth !== undefined || hosted?.alternative !== undefined;
  return {
    id,
    name,
    isReady: missing.length === 0,
    missingSettings: missing,
    optionalSettings: ofApp.filter((wanted) => !missing.includes(wanted) && !isSet(wanted)),
    registerAppAt: settings?.app?.registerAt ?? null,
    redirectUri: hasPage ? callbackUrl(context, id) : null,
    docs: `docs/platforms/${id}.md`,
  };
}

/** The pages that the links name are not served. */
function withoutLinks(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
}
