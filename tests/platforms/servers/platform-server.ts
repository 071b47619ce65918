/** A platform's test server with an account on it, controlled by tests and developers. */
import type { PlatformId } from '../../../platforms/registry.ts';
import type { Consent } from '../fakes/fake-consent.ts';
import type { Fault, WireOptions } from '../fakes/wire.ts';

export interface PlatformServerOptions extends WireOptions {
  /** Maps the public URL of an image to one that the server can fetch. */
  readonly reach?: (url: string) => string;
  /** Public URL of the install. If present, the platform has an app for it, and a user is signed in there. */
  readonly publicUrl?: string;
}

/** The install's app on the platforms. */
export const APP = { clientId: 'carillon-dev', clientSecret: 'secret-of-carillon-dev' };

/** Registers the app on the consent page, where `who` is signed in and consents. */
export function offerApp(
  consent: Consent,
  { publicUrl }: PlatformServerOptions,
  { platformId, scope, who }: { readonly platformId: PlatformId; readonly scope: string; readonly who: string },
): void {
  if (publicUrl === undefined) return;
  const redirectUri = `${publicUrl}/connect/callback/${platformId}`;
  consent.apps.set(APP.clientId, { clientSecret: APP.clientSecret, redirectUri, scope });
  consent.signedIn = who;
}

/** Settings with which an install uses the app. @param name their prefix, such as X */
export function appSettings(name: string, { publicUrl }: PlatformServerOptions): Record<string, string> {
  if (publicUrl === undefined) return {};
  return { [`${name}_CLIENT_ID`]: APP.clientId, [`${name}_CLIENT_SECRET`]: APP.clientSecret };
}

export interface ServerImage {
  /** Its alt text; null if the platform does not store it. */
  readonly altText: string | null;
}

export interface PlatformServer {
  readonly platformId: PlatformId;
  readonly maxLength: number;
  /** Maximum number of an emoji of seven code points and 25 bytes in one text. */
  readonly maxFamilies: number;
  /** Credentials of the account for POST /connections. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Settings that point an install to this server. */
  readonly env: Readonly<Record<string, string>>;
  /** True if no one can determine the outcome of a post whose response was lost. */
  readonly hasNoReadBack?: true;
  /** True if it accepts no post without an image. */
  readonly needsImage?: true;
  /**
   * Returns a text that triggers this fault when it is posted; for a server that can inject faults, also sets it
   * up.
   */
  textMeeting(fault: Fault, text: string): string;
  /** Texts on the platform, oldest first. */
  existing(): Promise<string[]>;
  /** Images of the last published post. */
  lastImages(): Promise<readonly ServerImage[]>;
  /** Texts of first comments, oldest first; absent if the platform has none. */
  comments?(): string[];
  /** Gives every post metrics, if the platform counts none automatically. */
  giveNumbers?(): void;
  /** Invalidates the credential; null if there is none. */
  readonly revoke: (() => void) | null;
  close(): Promise<void>;
}
