/**
 * The OpenAPI 3.1 document. It is generated from the router and then corrected where the generator does not know our
 * contract (error bodies, statuses, headers, plain-text bodies, public operations). Pure.
 */
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { declaredErrors } from '../routers/declared-errors.ts';
import { appRouter } from '../routers/index.ts';
import { type Operation, operations } from '../routers/operations.ts';
import { bucketOf, type RawAnswerMeta, successStatusOf } from '../routers/meta.ts';
import { EXPORTS_PATH } from './exports.ts';
import { EVENTS_PATH } from './event-stream.ts';
import {
  CONTENT_DISPOSITION,
  errorResponses,
  errorSchema,
  headerComponents,
  RATE_HEADERS,
  REPLAYED,
  withHeaders,
} from './openapi-answers.ts';
import { securityOf, securitySchemes } from './openapi-security.ts';
import { documentOperation, eventsOperation, exportOperation } from './openapi-streams.ts';
import { eventSchemas, webhookItems } from './openapi-webhooks.ts';

/** A part of the document, loosely typed because it only becomes JSON. */
type Part = Record<string, unknown>;

export interface OpenApiDocument extends Part {
  openapi: string;
  info: Part;
  paths: Record<string, Record<string, OpenApiOperation>>;
  webhooks: Record<string, Part>;
  components: { schemas: Part; headers?: Part; securitySchemes?: Part };
}

interface OpenApiOperation extends Part {
  operationId: string;
  responses: Record<string, Part>;
  parameters?: Part[];
  requestBody?: Part;
}

const DESCRIPTION = `Publish to every platform at once, now or at a time, and read the result of each post.

Every operation here is also an MCP tool and a call of the typed client. Send your key as \`x-api-key\` or as
\`Authorization: Bearer\`. Errors carry a code, a sentence and a hint; the codes are listed at /docs/errors.`;

/** Groups of operations, as the document shows them. */
const TAGS: Readonly<Record<string, string>> = {
  Posts: 'Publish, schedule, read and take down.',
  Media: 'Images for posts.',
  Connections: 'Linked accounts and channels, and their queues.',
  Approvals: 'Posts of keys and agents that ask before anything goes out.',
  Policies: 'What keys and agents may send without a person.',
  Stops: 'Stop everything of an account, a profile, a key or an agent, and release it.',
  Profiles: 'End customers of a product built on the service, and links for them to connect accounts.',
  Keys: 'API keys.',
  Webhooks: 'Events, posted or streamed.',
  Calendars: 'Private addresses for calendar applications.',
  Imports: 'Posts from CSV and JSON files.',
  Feeds: 'RSS and Atom feeds whose items become posts.',
  Exports: 'Everything of an account, as files.',
  Analytics: 'Numbers of posts.',
  Platforms: 'What each platform takes.',
  Account: 'Plan, settings and audit of the account.',
  Public: 'What needs no key.',
  Simulation: 'The manual clock of test installs.',
};

export function createOpenApiDocument(publicUrl: string, version: string): OpenApiDocument {
  // The generator's router type requires an index signature on meta, which a closed interface like ours does not have.
  const document = generateOpenApiDocument(appRouter as never, {
    title: 'Carillon',
    description: DESCRIPTION,
    version,
    baseUrl: `${publicUrl}/api/v2`,
    openApiVersion: '3.1.0',
    securitySchemes: securitySchemes(publicUrl),
  }) as unknown as OpenApiDocument;
  for (const name of Object.keys(document.components.schemas)) {
    if (name.startsWith('error.')) delete document.components.schemas[name];
  }
  document.info['license'] = { name: 'MIT', identifier: 'MIT' };
  document.info['contact'] = { name: 'The operator of this install', url: publicUrl };
  document['tags'] = Object.entries(TAGS).map(([name, description]) => ({ name, description }));
  Object.assign(document.components.schemas, eventSchemas(), { Error: errorSchema() });
  document.components.headers = headerComponents();
  for (const operation of operations) correct(document, operation);
  document.paths[EVENTS_PATH] = { get: eventsOperation() };
  document.paths[`${EXPORTS_PATH}/{kind}`] = { get: exportOperation() };
  document.paths['/openapi.json'] = { get: documentOperation() };
  document.webhooks = webhookItems();
  return document;
}

function correct(document: OpenApiDocument, operation: Operation): void {
  const { openapi, access, rawBody, scope } = operation.meta;
  const target = document.paths[openapi.path]?.[openapi.method.toLowerCase()];
  if (target === undefined) throw new Error(`${operation.name} is missing from the document`);
  target.operationId = operation.name.replace('.', '_');
  target['security'] = access === 'public' ? [] : securityOf(scope === null ? [] : [scope]);
  const headers = headersOf(operation);
  // The generator supports only one success status.
  target.responses = {
    [successStatusOf(operation.meta)]: {
      ...target.responses['200'],
      ...withHeaders(operation.meta.takesIdempotencyKey === true ? [...headers, REPLAYED] : headers),
    },
    ...errorResponses(declaredErrors(operation.meta), headers),
  };
  target.parameters?.forEach((parameter) => describe(parameter, operation));
  correctBody(target, operation);
  if (rawBody !== undefined) toRawBody(target, operation);
  if (operation.meta.rawAnswer !== undefined) toRawAnswer(target, operation.meta.rawAnswer, headers);
  if (operation.meta.takesIdempotencyKey === true) toKeyHeader(target);
}

/** Names of the headers that every answer of the operation carries, except answers to callers without a key. */
function headersOf({ meta }: Operation): readonly string[] {
  if (meta.access === 'public') return [];
  return bucketOf(meta) === null ? ['x-request-id'] : Object.keys(RATE_HEADERS);
}

// The generator loses the description of an optional parameter, and puts that of another into its schema.
function describe(parameter: Part, { input }: Operation): void {
  const { description, ...schema } = parameter['schema'] as Part;
  Object.assign(parameter, { description: input.shape[String(parameter['name'])]?.description ?? description, schema });
}

// The generator marks every body as required. A body without required fields may be left out, except in an operation
// that changes something.
function correctBody(target: OpenApiOperation, { input, meta }: Operation): void {
  const content = target.requestBody?.['content'] as Record<string, { schema?: Part }> | undefined;
  const schema = content?.['application/json']?.schema;
  if (target.requestBody === undefined || schema === undefined || schema['required'] !== undefined) return;
  const inPath = new Set([...meta.openapi.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  const changes = Object.keys(input.shape).filter((name) => !inPath.has(name));
  const needsField = meta.openapi.method === 'PATCH' || meta.needsOneField === true;
  if (!needsField) target.requestBody['required'] = false;
  else if (changes.length > 0) schema['minProperties'] = 1;
}

// In REST the idempotency key is a header; the generator knows it only as a field of the body.
function toKeyHeader(target: OpenApiOperation): void {
  const content = (target.requestBody?.['content'] ?? {}) as Record<
    string,
    { schema?: { properties?: Record<string, Part> } }
  >;
  const properties = content['application/json']?.schema?.properties ?? {};
  const { description, ...schema } = properties['idempotencyKey'] ?? {};
  delete properties['idempotencyKey'];
  const header = { name: 'Idempotency-Key', in: 'header', required: false, description, schema };
  target.parameters = [...(target.parameters ?? []), header];
}

// The generator shows a plain-text body as a JSON object; its one field is the whole body.
function toRawBody(target: OpenApiOperation, operation: Operation): void {
  const { rawBody } = operation.meta;
  if (rawBody === undefined) return;
  const content = (target.requestBody?.['content'] ?? {}) as Record<
    string,
    { schema?: { properties?: Record<string, Part> } }
  >;
  const properties = content['application/json']?.schema?.properties ?? {};
  // In OpenAPI 3.1 a body of bytes has no schema: its media type is enough.
  const schema = rawBody.bytes === undefined ? (properties[rawBody.field] ?? { type: 'string' }) : {};
  target.requestBody = {
    required: true,
    content: Object.fromEntries(rawBody.contentTypes.map((type) => [type, { schema }])),
  };
  const query = rawBody.query.map((name) => {
    const { description, ...rest } = properties[name] ?? { type: 'string' };
    return { name, in: 'query', required: false, ...(description === undefined ? {} : { description }), schema: rest };
  });
  target.parameters = [...(target.parameters ?? []), ...query];
}

// In REST the answer is the bytes; on other surfaces it is a JSON object with base64.
function toRawAnswer(target: OpenApiOperation, { contentTypes }: RawAnswerMeta, headers: readonly string[]): void {
  target.responses['200'] = {
    ...target.responses['200'],
    ...withHeaders([...headers, CONTENT_DISPOSITION]),
    description: 'The bytes.',
    content: Object.fromEntries(contentTypes.map((type) => [type, { schema: {} }])),
  };
}
