/** What people may see of the settings of this install. Values of secret settings are left out here, and exist nowhere else. */
import type { InstalledSetting } from '../services/config.ts';
import { defaultOf, isShown, settingFacts } from './setting.ts';
import { SETTING_GROUPS } from './settings.ts';

/** @param set the variables that are set, as text */
export function installedSettings(set: Readonly<Record<string, string | undefined>>): readonly InstalledSetting[] {
  return SETTING_GROUPS.flatMap(([group, { shape }]) =>
    Object.entries(shape).map(([name, schema]) => {
      const facts = settingFacts.get(schema);
      const isSecret = facts === undefined || !isShown(facts);
      const isSet = set[name] !== undefined;
      return {
        group,
        name,
        meaning: facts?.meaning ?? '',
        isSecret,
        isSet,
        value: isSecret ? null : (set[name] ?? (defaultOf(schema) || null)),
      };
    }),
  );
}
