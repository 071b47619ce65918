/**
 * How customers link their own accounts on the hosted connect page (docs/contract/connections.md#the-hosted-page),
 * described per platform.
 */
import type { CredentialField } from './credential-fields.ts';
import type { ConnectedAccount } from './credential.ts';
import type { JsonObject, PlatformIo } from './io.ts';
import type { PlatformApp, PlatformApps, PlatformEndpoints } from './settings.ts';

/** The values that the customer entered, by field name; empty fields are absent. */
export type Typed = Readonly<Record<string, string>>;

/** Linking an account without an API key. */
export interface HostedConnect<Input> {
  readonly fields: readonly CredentialField[];
  /** The platform's own consent page. Absent if the form fields are the credentials. */
  readonly oauth?: OauthConnect<Input>;
  /** A second method next to a credentials form; only if `oauth` is absent. */
  readonly alternative?: AlternativeConnect;
}

/** The platform's consent page as a second method with its own button; offered if the install has the app for it. */
export interface AlternativeConnect {
  /** Label of the button. */
  readonly button: string;
  /** What the customer can expect, in one sentence. */
  readonly hint: string;
  /** The fields that it asks for first. Their names differ from those of the credentials form. */
  readonly fields: readonly CredentialField[];
  readonly oauth: OauthConnect<JsonObject>;
  /**
   * Verifies an account that `oauth` returned. POST /connections need not accept its credential. Throws
   * PlatformFailure.
   */
  connectAccount(granted: JsonObject, io: PlatformIo): Promise<ConnectedAccount<unknown>>;
}

/** The values that tie the platform's page to one connect session. */
export interface OauthRequest {
  /** The redirect URI to which the platform returns the customer. */
  readonly redirectUri: string;
  /** The state that the platform must return with the customer. */
  readonly state: string;
  /** PKCE code verifier; the platform receives its hash first. */
  readonly verifier: string;
}

/** An account that the customer may link after they agreed. */
export interface OauthAccount<Input> {
  /** Display name. */
  readonly label: string;
  readonly credentials: Input;
  /** Granted scopes, if the platform reports them; stored with the credential. */
  readonly scopes?: readonly string[];
}

/** OAuth 2.0 authorization code flow on the platform's own page. */
export interface OauthConnect<Input> {
  /** Whether the install has the app that this requires. */
  isSetUp(apps: PlatformApps, endpoints: PlatformEndpoints): boolean;
  /** Value of `error` when the customer declined. Absent if it is `access_denied` only, as OAuth specifies. */
  readonly cancelErrors?: readonly string[];
  /** Content-Security-Policy sources of the platform's page; null when the customer names the server. */
  pageSources(endpoints: PlatformEndpoints): readonly string[] | null;
  /**
   * The client metadata document, for servers that read one. It is public at /connect/client/, and publishes a key of
   * the app with which stored credentials are renewed, so that app is never replaced.
   */
  clientDocument?(io: OauthIo, redirectUri: string): Promise<JsonObject>;
  /** Returns the page's URL. `memo` is stored, encrypted, until the customer returns. Throws PlatformFailure. */
  begin(typed: Typed, request: OauthRequest, io: OauthIo): Promise<{ readonly url: string; readonly memo: JsonObject }>;
  /** Exchanges the parameters of the customer's return for at least one account. Throws PlatformFailure. */
  finish(
    answer: URLSearchParams,
    request: OauthRequest,
    memo: JsonObject,
    io: OauthIo,
  ): Promise<readonly OauthAccount<Input>[]>;
}

/**
 * Whether stored credentials depend on the app that this install keeps for a platform: its servers compare them with
 * the client metadata document. Elsewhere an app takes part in new consents only.
 */
export function publishesApp(hosted: Pick<HostedConnect<unknown>, 'oauth' | 'alternative'> | null): boolean {
  return [hosted?.oauth, hosted?.alternative?.oauth].some((page) => page?.clientDocument !== undefined);
}

/** The context of `begin` and `finish`. */
export interface OauthIo extends PlatformIo {
  /**
   * The app that a server knows; `register` registers one if there is none yet. Throws PlatformFailure when the stored
   * one cannot be decrypted and credentials depend on it ({@link publishesApp}).
   */
  keptApp(origin: string, register: () => Promise<PlatformApp>): Promise<PlatformApp>;
  /** Deletes an app that its server no longer knows. */
  forgetApp(origin: string): Promise<void>;
}
