/** Reads the settings that the platforms declare. */
import { z } from 'zod';
import { PLATFORM_SETTINGS } from '../platforms/registry.ts';
import type { AppSettings, PlatformApps, PlatformEndpoints, PlatformFees, Setting } from '../platforms/settings.ts';
import { settingFacts } from './setting.ts';

type Values = Readonly<Record<string, unknown>>;

/** The platforms' names are known at runtime only; the static type has none, so that it can be part of a larger one. */
function shapeOf(
  groups: readonly (Readonly<Record<string, Setting>> | undefined)[],
): z.ZodObject<{ [name in never]: z.ZodType }> {
  const settings = groups.flatMap((group) => Object.entries(group ?? {}));
  return z.object(Object.fromEntries(settings.map(([name, setting]) => [name, describedSchema(setting)])));
}

function describedSchema({ schema, ...facts }: Setting): z.ZodType {
  return schema.register(settingFacts, facts);
}

const apps: readonly AppSettings[] = PLATFORM_SETTINGS.flatMap(({ app }) => app ?? []);

/** The operator's apps and accounts at platforms. */
export const PlatformApplications = shapeOf(apps.map(({ settings }) => settings));

/** The addresses of platforms. */
export const PlatformOrigins = shapeOf(PLATFORM_SETTINGS.map(({ endpoints }) => endpoints));

/** The fees of platforms that charge. */
export const PlatformCharges = shapeOf(PLATFORM_SETTINGS.map(({ fees }) => fees));

/** Settings that must be given together. */
export const TOGETHER = apps.flatMap(({ together = [] }) => (together.length === 0 ? [] : [together]));

/** Settings that have a meaning only with others. */
export const DEPENDENT = apps.flatMap(({ dependent }) => dependent ?? []);

export function platformEndpoints(values: Values, publicUrl: string): PlatformEndpoints {
  return Object.freeze({ ...pick(values, PlatformOrigins), PUBLIC_URL: publicUrl } as PlatformEndpoints);
}

export function platformFees(values: Values): PlatformFees {
  return Object.freeze(pick(values, PlatformCharges) as unknown as PlatformFees);
}

export function platformApps(values: Values): PlatformApps {
  return Object.freeze(Object.fromEntries(apps.map((app) => [app.id, app.read(values)])) as unknown as PlatformApps);
}

function pick(values: Values, { shape }: z.ZodObject): Values {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, values[name]]));
}
