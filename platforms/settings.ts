/**
 * The settings that platforms read from the environment. Each platform declares its own in its folder, and adds their
 * names to the interfaces below (TypeScript's declaration merging). server/platform-settings.ts reads them all.
 */
import { z } from 'zod';
import type { MailServer } from './mail.ts';

/** Origins from configuration (docs/contract/running.md#settings), without a trailing slash, by variable name. */
export interface PlatformEndpoints {
  /** Origin of this install. */
  readonly PUBLIC_URL: string;
}

/** The operator's apps and accounts at platforms; null if the operator has registered none. */
// eslint-disable-next-line typescript/no-empty-object-type -- every platform with an app adds a property
export interface PlatformApps {}

/** The fees of platforms that charge, in cents, by variable name. */
// eslint-disable-next-line typescript/no-empty-object-type -- every platform that charges adds a property
export interface PlatformFees {}

/** The name of the setting of a fee. */
export type FeeSetting = keyof PlatformFees;

/** The app that identifies this install to a platform. */
export interface PlatformApp {
  readonly clientId: string;
  /** Undefined for an app without a secret. */
  readonly clientSecret: string | undefined;
}

/** One variable of the environment. */
export interface Setting<Value = unknown> {
  /** Parses the variable. Its default, if any, is the default of the setting. */
  readonly schema: z.ZodType<Value, string | undefined>;
  /** Kind of value, such as `secret`. */
  readonly type: string;
  readonly unit?: string;
  /** Permitted values, in words. */
  readonly range?: string;
  /** What it does, and what holds while it is not set. Markdown. */
  readonly meaning: string;
}

type Settings = Readonly<Record<string, Setting>>;
type ValuesOf<Declared extends Settings> = { [Name in keyof Declared]: z.output<Declared[Name]['schema']> };

/** The settings that together describe the operator's app or account at a platform. {@link defineApp} makes it. */
export interface AppSettings<App = unknown> {
  /** Name of the app in `PlatformApps`. */
  readonly id: string;
  readonly settings: Settings;
  /** Page on which the operator registers the app, or opens the account. */
  readonly registerAt: string;
  /** Names that must be set together. */
  readonly together?: readonly string[];
  /** A name that must not be set without others. */
  readonly dependent?: { readonly name: string; readonly needs: readonly string[] };
  /** Returns the app, or null if the operator has registered none. */
  read(values: Readonly<Record<string, unknown>>): App | null;
}

/** The same before its names and values are forgotten. */
interface AppDeclaration<Declared extends Settings, App> extends AppSettings<App> {
  readonly settings: Declared;
  readonly together?: readonly (keyof Declared & string)[];
  readonly dependent?: { readonly name: keyof Declared & string; readonly needs: readonly (keyof Declared & string)[] };
  read(values: ValuesOf<Declared>): App | null;
}

/** What a platform reads from the environment. Platforms that share an app or a server share one object. */
export interface PlatformSettings {
  readonly app?: AppSettings;
  /** The platform's servers. An operator can replace each, for example with a server for tests. */
  readonly endpoints?: Readonly<Record<string, Setting<string>>>;
  readonly fees?: Readonly<Record<string, Setting<number>>>;
}

/** Settings that the operator must configure before the platform can be used. */
export interface InstallNeeds {
  /** Names of the settings. */
  readonly settings: readonly string[];
  isMet(install: { readonly apps: PlatformApps; readonly mail: MailServer | null }): boolean;
}

/** Checks the names that `read` uses. */
export function defineApp<Declared extends Settings, App>(app: AppDeclaration<Declared, App>): AppSettings<App> {
  return app;
}

/** The app of {@link defineApp} as `PlatformApps` holds it. */
export type AppOf<Declared> = Declared extends AppSettings<infer App> ? App | null : never;

/** An app with an id and a secret, which must be set together. */
export function appWithSecret(
  id: string,
  names: { readonly id: string; readonly secret: string },
  meaning: { readonly id: string; readonly secret?: string },
  registerAt: string,
): AppSettings<Required<PlatformApp>> {
  return defineApp<Readonly<Record<string, Setting<string | undefined>>>, Required<PlatformApp>>({
    id,
    settings: { [names.id]: text(meaning.id), [names.secret]: secret(meaning.secret ?? SECRET_OF_APP) },
    registerAt,
    together: [names.id, names.secret],
    read: ({ [names.id]: clientId, [names.secret]: clientSecret }) =>
      clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret },
  });
}

/** The settings without which there is no app. */
export function requiredSettings({ settings, together, dependent }: AppSettings): readonly string[] {
  return together ?? Object.keys(settings).filter((name) => name !== dependent?.name);
}

export const SECRET_OF_APP = 'Client secret of that app. Set together with the ID.';

/** A public text, such as the id of an app. */
export function text(meaning: string): Setting<string | undefined> {
  return { schema: z.string().min(1).optional(), type: 'text', meaning };
}

export function secret(meaning: string): Setting<string | undefined> {
  return { schema: z.string().min(1).optional(), type: 'secret', meaning };
}

/** Scheme, host and port. */
export const origin = z.string().transform((value, issue) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    issue.addIssue({ code: 'custom', message: 'must be an origin such as https://example.com, without a path' });
    return z.NEVER;
  }
  return url.origin;
});

/** A server of a platform. */
export function server(url: string, meaning: string): Setting<string> {
  return { schema: origin.default(url), type: 'origin', meaning };
}

/** A fee in cents; 0 by default. */
export function fee(meaning: string): Setting<number> {
  const cents = z
    .string()
    .regex(/^\d{1,6}$/, 'must be a whole number of cents')
    .transform(Number);
  return { schema: cents.default(0), type: 'whole number', unit: 'cents', range: '0 to 999,999', meaning };
}
