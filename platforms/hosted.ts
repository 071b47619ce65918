/** How customers link their own accounts on the hosted connect page (docs/contract/connections.md#the-hosted-page), as each platform describes it. */
import type { ConnectedAccount, JsonObject, PlatformIo } from './contract.ts';
import type { PlatformApp, PlatformApps, PlatformEndpoints } from './settings.ts';

/** A field that a customer fills in. */
export interface HostedField {
  readonly name: string;
  readonly label: string;
  /** What to put there, in a sentence. */
  readonly hint: string;
  /** `secret` is hidden while it is typed. `server` is the address of a server, whose scheme may be left out. */
  readonly kind: 'text' | 'secret' | 'server';
  readonly required: boolean;
}

/** What was typed, by field name; fields left empty are absent. */
export type Typed = Readonly<Record<string, string>>;

/** Linking an account without an API key. */
export interface HostedConnect<Input> {
  readonly fields: readonly HostedField[];
  /** The platform's own page, where the customer agrees. Absent where what is typed are the credentials. */
  readonly oauth?: OauthConnect<Input>;
  /** A second way beside a form of credentials; only where `oauth` is absent. */
  readonly alternative?: AlternativeConnect;
}

/** The platform's own page as a second way, with a button of its own; offered where the install has the app for it. */
export interface AlternativeConnect {
  /** What its button says. */
  readonly button: string;
  /** What the customer can expect of it, in a sentence. */
  readonly hint: string;
  /** What it asks for first. No field is called as one of the form of credentials. */
  readonly fields: readonly HostedField[];
  readonly oauth: OauthConnect<JsonObject>;
  /** Checks an account that `oauth` gave, whose login POST /connections need not take. Throws PlatformFailure. */
  connectAccount(granted: JsonObject, io: PlatformIo): Promise<ConnectedAccount<unknown>>;
}

/** What ties the platform's page to one connect session. */
export interface OauthRequest {
  /** Where the platform sends the customer back to. */
  readonly redirectUri: string;
  /** What the platform must send back with the customer. */
  readonly state: string;
  /** Secret of which the platform is shown a hash first (PKCE). */
  readonly verifier: string;
}

/** One account that the customer may link, once the platform has agreed. */
export interface OauthAccount<Input> {
  /** What people call it. */
  readonly label: string;
  readonly credentials: Input;
  /** What the customer has allowed, where the platform tells; kept with the login. */
  readonly scopes?: readonly string[];
}

/** Access by the platform's own page (OAuth 2.0, authorization code). */
export interface OauthConnect<Input> {
  /** Whether the install has the app that this needs. */
  isSetUp(apps: PlatformApps, endpoints: PlatformEndpoints): boolean;
  /** What `error` says when the customer has said no there. Absent where it is `access_denied` alone, as OAuth has it. */
  readonly cancelErrors?: readonly string[];
  /** Sources of a Content-Security-Policy that the platform's page is at; null when the customer names the server. */
  pageSources(endpoints: PlatformEndpoints): readonly string[] | null;
  /** The document by which servers know this install, where they read one; it is served to everybody at /connect/client/. */
  clientDocument?(io: OauthIo, redirectUri: string): Promise<JsonObject>;
  /** Gives the page's address; `memo` is kept, encrypted, until the customer is back. Throws PlatformFailure. */
  begin(typed: Typed, request: OauthRequest, io: OauthIo): Promise<{ readonly url: string; readonly memo: JsonObject }>;
  /** Exchanges what the customer came back with, at least one account. Throws PlatformFailure. */
  finish(
    answer: URLSearchParams,
    request: OauthRequest,
    memo: JsonObject,
    io: OauthIo,
  ): Promise<readonly OauthAccount<Input>[]>;
}

/** What is handed to `begin` and `finish`. */
export interface OauthIo extends PlatformIo {
  /** The app that is known to a server, registered by `register` when there is none yet. */
  keptApp(origin: string, register: () => Promise<PlatformApp>): Promise<PlatformApp>;
  /** Drops an app that its server no longer knows. */
  forgetApp(origin: string): Promise<void>;
}
