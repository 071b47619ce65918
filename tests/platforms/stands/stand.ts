/** A platform's other side: a small server of its kind with an account on it, as tests and developers steer it. */
import type { PlatformId } from '../../../platforms/registry.ts';
import type { Consent } from '../fakes/fake-consent.ts';
import type { Fault, WireOptions } from '../fakes/wire.ts';

export interface StandOptions extends WireOptions {
  /** Where the server finds an image that an install tells it to fetch. */
  readonly reach?: (url: string) => string;
  /** Where customers come back to: then the platform has an app for that install, and somebody is signed in there. */
  readonly publicUrl?: string;
}

/** The app that an install has at the platforms. */
export const APP = { clientId: 'carillon-dev', clientSecret: 'secret-of-carillon-dev' };

/** Lets the app ask on the platform's page, where `who` is signed in and agrees. */
export function offerApp(
  consent: Consent,
  { publicUrl }: StandOptions,
  { platformId, scope, who }: { readonly platformId: PlatformId; readonly scope: string; readonly who: string },
): void {
  if (publicUrl === undefined) return;
  const redirectUri = `${publicUrl}/connect/callback/${platformId}`;
  consent.apps.set(APP.clientId, { clientSecret: APP.clientSecret, redirectUri, scope });
  consent.signedIn = who;
}

/** Settings with which an install uses the app. @param name what they begin with, such as X */
export function appSettings(name: string, { publicUrl }: StandOptions): Record<string, string> {
  if (publicUrl === undefined) return {};
  return { [`${name}_CLIENT_ID`]: APP.clientId, [`${name}_CLIENT_SECRET`]: APP.clientSecret };
}

export interface StandImage {
  /** What describes it there; null where that is not kept. */
  readonly altText: string | null;
}

export interface Stand {
  readonly platformId: PlatformId;
  readonly maxLength: number;
  /** How many times an emoji of seven code points fits, 25 bytes each. */
  readonly maxFamilies: number;
  /** What POST /connections takes for the account. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Settings that lead an install here. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether nobody can say what became of a post of which the answer was lost. */
  readonly cannotTell?: true;
  /** Whether it takes no post without an image. */
  readonly needsImage?: true;
  /** A text that meets this fault when it is posted; a server that faults by itself is set up on the way. */
  textMeeting(fault: Fault, text: string): string;
  /** Texts that stand on the platform, oldest first. */
  standing(): Promise<string[]>;
  /** Images of the post that went up last. */
  lastImages(): Promise<readonly StandImage[]>;
  /** Texts of first comments, oldest first; only where there are any. */
  comments?(): string[];
  /** Lets every post be seen, where the platform counts nothing by itself. */
  giveNumbers?(): void;
  /** Voids the login; null where there is none. */
  readonly revoke: (() => void) | null;
  close(): Promise<void>;
}
