/** The OpenAPI document of this version, and its body schemas, which tests check real bodies against. */
import packageJson from '../../package.json' with { type: 'json' };
import { z } from 'zod';
import { createOpenApiDocument, type OpenApiDocument } from '../../server/openapi.ts';
import { PUBLIC_URL } from './world.ts';

type JsonSchema = Record<string, unknown>;

export const apiDocument: OpenApiDocument = createOpenApiDocument(PUBLIC_URL, packageJson.version);

/** The schema validator knows definitions under this name only. */
function withDefinitions<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll('#/components/schemas/', '#/$defs/')) as Value;
}

const $defs = withDefinitions(apiDocument.components.schemas);
const known = new Map<string, z.ZodType>();

/** @returns what is wrong with a body, in words; null when it matches the schema */
function problem(name: string, schema: JsonSchema, body: unknown): string | null {
  const checker =
    known.get(name) ??
    z.fromJSONSchema({ ...withDefinitions(schema), $defs } as Parameters<typeof z.fromJSONSchema>[0]);
  known.set(name, checker);
  const { error } = checker.safeParse(body);
  return error === undefined ? null : z.prettifyError(error);
}

/**
 * The mismatch between an answer and the document: an undeclared status, or a body that differs from the declared one.
 */
export function answerProblem(
  { method, path }: { method: string; path: string },
  { status, contentType, body }: { status: number; contentType: string; body: unknown },
): string | null {
  const response = apiDocument.paths[path]?.[method.toLowerCase()]?.responses[String(status)];
  if (response === undefined) return `status ${status} is not declared`;
  const content = (response['content'] ?? {}) as Record<string, { schema?: JsonSchema }>;
  const declared = content[contentType.split(';')[0] ?? ''];
  if (declared === undefined) return `content type ${contentType} is not declared for ${status}`;
  if (!contentType.startsWith('application/json')) return null;
  return problem(`${method} ${path} ${status}`, declared.schema ?? {}, body);
}

/** The mismatch between the body of a delivery and the document. */
export function deliveryProblem(event: string, body: unknown): string | null {
  const item = apiDocument.webhooks[event] as {
    post: { requestBody: { content: Record<string, { schema: JsonSchema }> } };
  };
  if (item === undefined) return `the event ${event} is not declared`;
  return problem(event, item.post.requestBody.content['application/json']?.schema ?? {}, body);
}

/** What the document says against a request: no such operation, or a body that differs from the declared one; null when it fits. */
export function requestProblem(method: string, path: string, body: unknown): string | null {
  const found = Object.entries(apiDocument.paths).find(([template, operations]) => {
    const pattern = new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
    return pattern.test(path) && method.toLowerCase() in operations;
  });
  if (found === undefined) return `there is no ${method} ${path}`;
  const [template, operations] = found;
  const declared = operations[method.toLowerCase()]?.requestBody as
    | { readonly content?: Record<string, { readonly schema: JsonSchema }> }
    | undefined;
  const schema = declared?.content?.['application/json']?.schema;
  if (body === undefined || schema === undefined) return null;
  return problem(`${method} ${template}`, schema, body);
}
