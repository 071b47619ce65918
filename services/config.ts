/** What the operator decided, as the rest of the house reads it; server/config.ts fills it from the environment. */
import type { PlanName } from '../entities/account.ts';
import type { FeeSetting, PlatformApps, PlatformEndpoints } from '../platforms/contract.ts';
import type { MediaStoreConfig } from './media/media-store.ts';

export interface Config {
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** Origin under which people reach this install; no trailing slash. */
  readonly publicUrl: string;
  /** PostgreSQL to use; undefined for the embedded database in `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly mediaStore: MediaStoreConfig;
  /** `web` answers requests, `worker` runs the loops, `all` does both. */
  readonly role: 'all' | 'web' | 'worker';
  readonly bootstrapLiveKey: string | undefined;
  readonly bootstrapTestKey: string | undefined;
  /** Who signs in for the first account; null: the first start makes a link for them. */
  readonly owner: { readonly email: string; readonly password: string } | null;
  /** 32-byte keys: the first encrypts, all decrypt. Undefined: one is generated into `dataDir`. */
  readonly encryptionKeys: readonly Buffer[] | undefined;
  /** CIDRs that outbound requests may reach although they are not public. */
  readonly outboundAllow: readonly string[];
  readonly clock: 'system' | 'manual';
  readonly clockStart: Date | undefined;
  /** Requests a minute per key and endpoint group. */
  readonly rateLimitPerMinute: number;
  readonly logLevel: string;
  readonly metricsToken: string | undefined;
  readonly production: boolean;
  readonly trustProxy: boolean | number | string | undefined;
  /** Connections that are open at once. */
  readonly maxConnections: number;
  /** Those from one address, of IPv6 from one /64; through a trusted proxy, requests in progress. */
  readonly maxConnectionsPerAddress: number;
  /** Milliseconds in which a request has to come as a whole. */
  readonly requestTimeoutMs: number;
  /** Plan of a new account. */
  readonly defaultPlan: PlanName;
  /** Most messages (SMS and email together) that an account sends in a UTC day, unless the operator set its own; null for no cap. */
  readonly messagesPerDay: number | null;
  /** What sending and reading numbers cost on platforms that are charged for, in cents. */
  readonly fees: Readonly<Record<FeeSetting, number>>;
  /** Who reaches the operator's endpoints with their token: this machine, any machine, or none. */
  readonly operator: 'local' | 'anywhere' | 'off';
  /** Bearer token of the operator; undefined: one is generated into `dataDir`. */
  readonly operatorToken: string | undefined;
  /** Whether /mcp also has what the official conformance suite calls by name. */
  readonly mcpConformance: boolean;
  readonly endpoints: PlatformEndpoints;
  readonly apps: PlatformApps;
  /** Null where the operator has set up no mail server. */
  readonly mail: MailConfig | null;
  /** Null where the operator has set up no model. */
  readonly polish: PolishConfig | null;
}

/** The operator's model for AI polish. */
export interface PolishConfig {
  /** Of an endpoint that is compatible with OpenAI's, with its path, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Undefined where the endpoint asks for none. */
  readonly apiKey: string | undefined;
  readonly model: string;
}

/** The operator's mail server, and whom messages come from. */
export interface MailConfig {
  readonly server: {
    readonly host: string;
    readonly port: number;
    /** TLS from the first byte. */
    readonly secure: boolean;
    /** Whether a session that does not turn to TLS is given up. */
    readonly requireTls: boolean;
    /** Absent where the server asks for no login. */
    readonly user?: string | undefined;
    readonly password?: string | undefined;
  };
  readonly from: { readonly name: string; readonly address: string };
}
