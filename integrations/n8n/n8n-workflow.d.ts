/** The part of n8n’s interface for nodes that this package uses; n8n provides it at run time. */
declare module 'n8n-workflow' {
  export interface Item {
    readonly json: Record<string, unknown>;
    readonly pairedItem?: { readonly item: number };
  }
  export interface RequestOptions {
    readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
    readonly url: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly qs?: Readonly<Record<string, unknown>>;
    readonly body?: unknown;
    readonly json?: boolean;
  }
  export interface Node {
    readonly id: string;
    readonly name: string;
  }
  interface WithRequests {
    getCredentials(name: string): Promise<Readonly<Record<string, unknown>>>;
    getNode(): Node;
    readonly helpers: {
      httpRequestWithAuthentication(this: WithRequests, credential: string, options: RequestOptions): Promise<unknown>;
    };
  }
  export interface ExecuteContext extends WithRequests {
    getInputData(): readonly Item[];
    getNodeParameter(name: string, item: number, fallback?: unknown): unknown;
    getTimezone(): string;
    getExecutionId(): string;
    continueOnFail(): boolean;
    readonly helpers: WithRequests['helpers'] & {
      getBinaryDataBuffer(item: number, property: string): Promise<Buffer>;
      assertBinaryData(item: number, property: string): { readonly mimeType: string };
    };
  }
  export type LoadOptionsContext = WithRequests;
  export interface HookContext extends WithRequests {
    getNodeParameter(name: string, fallback?: unknown): unknown;
    getNodeWebhookUrl(name: string): string | undefined;
    getWorkflowStaticData(kind: 'node'): Record<string, unknown>;
  }
  export interface WebhookContext extends HookContext {
    getRequestObject(): { readonly rawBody: Buffer; readonly headers: Readonly<Record<string, string | undefined>> };
    getResponseObject(): { status(code: number): { send(text: string): void } };
  }
  export interface WebhookAnswer {
    readonly workflowData?: readonly (readonly Item[])[];
    readonly noWebhookResponse?: boolean;
  }

  export class NodeApiError extends Error {
    description: string | null | undefined;
    constructor(node: Node, error: object, options?: { message?: string; description?: string; itemIndex?: number });
  }
  export class NodeOperationError extends Error {
    constructor(node: Node, error: string, options?: { description?: string; itemIndex?: number });
  }
}
