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
  /** Days after which a request for approval expires. */
  readonly approvalDays: number;
  /**
   * Most messages (SMS and email together) that an account sends in a UTC day, unless the operator set a limit for the
   * account; null for no cap.
   */
  readonly messagesPerDay: number | null;
  /** Fees in cents for sending and for reading metrics on platforms that charge. */
  readonly fees: PlatformFees;
  /** Whether the database is a restored backup: this start holds every post that is due. */
  readonly isRestored: boolean;
  /** Backups of the embedded database. */
  readonly backups: {
    readonly folder: string;
    /** Null when none are scheduled. */
    readonly schedule: { readonly everyMs: number; readonly keep: number } | null;
  };
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
  /** Null when OpenTelemetry is off. */
  readonly telemetry: TelemetryConfig | null;
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

/** What is exported to the operator's OpenTelemetry collector, and how. */
export interface TelemetryConfig {
  /** Where traces are sent; null when they are not exported. */
  readonly traces: string | null;
  readonly metrics: string | null;
  readonly logs: string | null;
  readonly protocol: 'http/protobuf' | 'http/json';
  /** Of each request to the collector; they may hold its API key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly compression: 'none' | 'gzip';
  /** Longest time of an export. */
  readonly timeoutMs: number;
  /** Time between two exports of metrics. */
  readonly metricIntervalMs: number;
  readonly sampler: {
    /** As OTEL_TRACES_SAMPLER names it. */
    readonly name: string;
    /** From 0 to 1. */
    readonly ratio: number;
  };
  /** Attributes of the service. */
  readonly resource: Readonly<Record<string, string>>;
  /** Names of variables of OpenTelemetry that are set and have no effect. */
  readonly unread: readonly string[];
}

/** The operator's model for AI polish. */
export interface PolishConfig {
  /** Base URL of an OpenAI-compatible endpoint, with its path, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Undefined when the endpoint needs none. */
  readonly apiKey: string | undefined;
  readonly model: string;
  /** Whether the model takes images. */
  readonly seesImages: boolean;
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
