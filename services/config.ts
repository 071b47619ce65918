/** The operator's configuration; server/config.ts reads it from the environment. */
import type { PlanName } from '../entities/account.ts';
import type { PlatformApps, PlatformEndpoints, PlatformFees } from '../platforms/settings.ts';

export interface Config {
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** Origin under which people reach this install; no trailing slash. */
  readonly publicUrl: string;
  /** PostgreSQL connection URL; undefined for the embedded database in `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly mediaStore: MediaStoreConfig;
  /** `web` answers requests, `worker` runs the loops, `all` does both. */
  readonly role: 'all' | 'web' | 'worker';
  readonly bootstrapLiveKey: string | undefined;
  readonly bootstrapTestKey: string | undefined;
  /** Owner of the first account; null: the first start creates a link to set one up. */
  readonly owner: { readonly email: string; readonly password: string } | null;
  /** 32-byte keys: the first encrypts, all decrypt. Undefined: one is generated into `dataDir`. */
  readonly encryptionKeys: readonly Buffer[] | undefined;
  /** CIDRs that outbound requests may reach although they are not public. */
  readonly outboundAllow: readonly string[];
  readonly clock: 'system' | 'manual';
  readonly clockStart: Date | undefined;
  /** Requests per minute for each key and endpoint group. */
  readonly rateLimitPerMinute: number;
  readonly logLevel: string;
  readonly metricsToken: string | undefined;
  readonly production: boolean;
  readonly trustProxy: boolean | number | string | undefined;
  /** Most open connections. */
  readonly maxConnections: number;
  /** Most open connections from one address, for IPv6 from one /64; behind a trusted proxy, requests in progress. */
  readonly maxConnectionsPerAddress: number;
  /** Milliseconds within which a complete request must arrive. */
  readonly requestTimeoutMs: number;
  /** Plan of a new account. */
  readonly defaultPlan: PlanName;
  /**
   * Most messages (SMS and email together) that an account sends in a UTC day, unless the operator set a limit for the
   * account; null for no cap.
   */
  readonly messagesPerDay: number | null;
  /** Fees in cents for sending and for reading metrics on platforms that charge. */
  readonly fees: PlatformFees;
  /** From where the operator's endpoints accept the operator token: this machine, any machine, or none. */
  readonly operator: 'local' | 'anywhere' | 'off';
  /** The operator's bearer token; undefined: one is generated into `dataDir`. */
  readonly operatorToken: string | undefined;
  /** Whether /mcp also offers the tools that the official conformance suite calls by name. */
  readonly mcpConformance: boolean;
  readonly endpoints: PlatformEndpoints;
  readonly apps: PlatformApps;
  /** Null when no mail server is configured. */
  readonly mail: MailConfig | null;
  /** Null when no model is configured. */
  readonly polish: PolishConfig | null;
  /** Every setting, in the order of docs/configuration.md, for people to see. */
  readonly settings: readonly InstalledSetting[];
}

/** A setting of this install, without anything secret. */
export interface InstalledSetting {
  /** Heading in docs/configuration.md. */
  readonly group: string;
  readonly name: string;
  /** Markdown of docs/configuration.md. */
  readonly meaning: string;
  readonly isSecret: boolean;
  readonly isSet: boolean;
  /** As text, the default included; null for a secret, and where there is none. */
  readonly value: string | null;
}

/** The operator's model for AI polish. */
export interface PolishConfig {
  /** Base URL of an OpenAI-compatible endpoint, with its path, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Undefined when the endpoint needs none. */
  readonly apiKey: string | undefined;
  readonly model: string;
}

/** The operator's mail server, and the sender of its messages. */
export interface MailConfig {
  readonly server: {
    readonly host: string;
    readonly port: number;
    /** Whether the connection uses TLS from the first byte. */
    readonly secure: boolean;
    /** Whether a session without STARTTLS is ended. */
    readonly requireTls: boolean;
    /** Absent when the server needs no authentication. */
    readonly user?: string | undefined;
    readonly password?: string | undefined;
  };
  readonly from: { readonly name: string; readonly address: string };
}

/** Where the operator stores the bytes: in DATA_DIR, or in an S3-compatible bucket. */
export type MediaStoreConfig =
  | { readonly kind: 'file' }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Origin of the service, without a trailing slash; undefined for Amazon S3. */
      readonly endpoint: string | undefined;
      /** Undefined for the value of the environment (AWS_REGION). */
      readonly region: string | undefined;
      /** Prefix of every key. */
      readonly prefix: string;
    };
