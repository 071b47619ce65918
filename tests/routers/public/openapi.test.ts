/** GET /openapi.json is a valid OpenAPI 3.1 document with every operation, its errors and its headers. */
import packageJson from '../../../package.json' with { type: 'json' };
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DEFAULT_EVENT_NAMES, EVENT_NAMES } from '../../../entities/event.ts';
import { ERRORS } from '../../../errors/codes.ts';
import { declaredErrors } from '../../../routers/declared-errors.ts';
import { operations } from '../../../routers/operations.ts';
import { successStatusOf } from '../../../routers/meta.ts';
import { SCOPES } from '../../../services/access/scopes.ts';
import { deliveryHeaders } from '../../../services/webhooks/delivery-headers.ts';
import { refusal } from '../../harness/expected.ts';
import { PUBLIC_URL, startWorld } from '../../harness/world.ts';

const world = await startWorld();
const { status, headers, body } = await world.rest('GET /openapi.json', { key: null });

/** Every operation of the document, written as `GET /posts`. */
function documented(): string[] {
  return Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

describe('200', () => {
  it('needs no key and is JSON', () => {
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('is a valid OpenAPI 3.1 document with this version and this origin', async () => {
    const result = await new Validator().validate(structuredClone(body));

    expect(result).toEqual({ valid: true });
    expect(body.openapi).toMatch(/^3\.1\./);
    expect(body.info).toMatchObject({ title: 'Carillon', version: packageJson.version });
    expect(body.servers).toEqual([{ url: 'http://localhost:3000/api/v2' }]);
  });

  it('contains every operation of the router, the streams and itself, and nothing else', () => {
    const declared = operations.map(({ meta }) => `${meta.openapi.method} ${meta.openapi.path}`);

    expect(documented().toSorted()).toEqual(
      [...declared, 'GET /events', 'GET /exports/{kind}', 'GET /openapi.json'].toSorted(),
    );
  });

  it('requires a key for all operations except the public ones', () => {
    const open = documented().filter((call) => {
      const [method = '', path = ''] = call.split(' ');
      return body.paths[path][method.toLowerCase()].security.length === 0;
    });

    const declared = operations
      .filter(({ meta }) => meta.access === 'public')
      .map(({ meta }) => `${meta.openapi.method} ${meta.openapi.path}`);
    expect(open.toSorted()).toEqual([...declared, 'GET /openapi.json'].toSorted());
    expect(body.components.securitySchemes).toEqual({
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: expect.any(String) },
      bearer: { type: 'http', scheme: 'bearer', description: expect.any(String) },
      accessToken: {
        type: 'oauth2',
        description: expect.any(String),
        flows: {
          authorizationCode: {
            authorizationUrl: `${PUBLIC_URL}/oauth/authorize`,
            tokenUrl: `${PUBLIC_URL}/oauth/token`,
            refreshUrl: `${PUBLIC_URL}/oauth/token`,
            scopes: SCOPES,
          },
        },
      },
    });
  });

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'lists the status of every error that %s can return',
    (_name, { meta }) => {
      const responses = body.paths[meta.openapi.path][meta.openapi.method.toLowerCase()].responses;

      const codes = declaredErrors(meta);
      const expected = new Set<number>([successStatusOf(meta), ...codes.map((code) => ERRORS[code].status)]);
      expect(new Set(Object.keys(responses).map(Number))).toEqual(expected);
      for (const code of codes) expect(responses[ERRORS[code].status].description).toContain(`\`${code}\``);
    },
  );

  it('lists the four headers only for rate-limited responses', () => {
    const headersOf = (path: string, method: string) => body.paths[path][method].responses['200'].headers;

    expect(headersOf('/posts', 'get')).toEqual({
      'x-request-id': { $ref: '#/components/headers/x-request-id' },
      'x-ratelimit-limit': { $ref: '#/components/headers/x-ratelimit-limit' },
      'x-ratelimit-remaining': { $ref: '#/components/headers/x-ratelimit-remaining' },
      'x-ratelimit-reset': { $ref: '#/components/headers/x-ratelimit-reset' },
    });
    expect(headersOf('/health', 'get')).toBeUndefined();
    expect(headersOf('/simulation/clock', 'post')).toEqual({
      'x-request-id': { $ref: '#/components/headers/x-request-id' },
    });
  });

  it('lists them for errors too, Retry-After if possible, and none for requests without a key', () => {
    const { responses } = body.paths['/posts'].post;
    const four = ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

    expect(Object.keys(responses['400'].headers)).toEqual(four);
    expect(Object.keys(responses['500'].headers)).toEqual(four);
    expect(Object.keys(responses['429'].headers)).toEqual([...four, 'retry-after']);
    expect(Object.keys(responses['401'].headers)).toEqual(['www-authenticate']);
    expect(Object.keys(responses['200'].headers)).toEqual([...four, 'idempotent-replayed']);
  });

  it.each(operations.map(({ name, meta, input }) => [name, meta, input] as const))(
    'requires a body of %s exactly when the server does',
    async (_name, { openapi, rawBody }, input) => {
      const { requestBody } = body.paths[openapi.path][openapi.method.toLowerCase()];
      if (['GET', 'DELETE'].includes(openapi.method)) return expect(requestBody).toBeUndefined();
      if (rawBody !== undefined) return expect(requestBody.required).toBe(true);
      const address = openapi.path.replaceAll(/\{\w+\}/g, '00000000-0000-7000-8000-000000000000');
      const { required = [], minProperties = 0 } = requestBody?.content['application/json'].schema ?? {};

      const response = await world.rest(`${openapi.method} ${address}` as 'POST /');

      const isRefused = response.body.error === 'invalid_request';
      const isAsked = requestBody?.required === true && required.length + minProperties > 0;
      expect({ isRefused, hasFields: Object.keys(input.shape).length > 0 }).toEqual({
        isRefused: isAsked,
        hasFields: true,
      });
    },
  );

  it('describes every parameter, beside its schema', () => {
    const parameters = documented().flatMap((call) => {
      const [method = '', path = ''] = call.split(' ');
      const declared = body.paths[path][method.toLowerCase()].parameters ?? [];
      return declared.map((parameter: object) => ({ call, ...parameter }));
    });

    expect(parameters.filter(({ description, schema }) => !description || schema.description !== undefined)).toEqual(
      [],
    );
    expect(parameters.find(({ call, name }) => call === 'GET /posts' && name === 'q')?.description).toBe(
      'Only posts whose text has all of these words.',
    );
  });

  it('names the file that is answered, in the header that REST sends', () => {
    for (const path of ['/media/{mediaId}/raw', '/exports/{kind}']) {
      expect(body.paths[path].get.responses['200'].headers).toHaveProperty('content-disposition');
    }
  });

  it('groups every operation under a tag with a description', () => {
    const tags = body.tags.map(({ name }: { name: string }) => name);
    const used = operations.flatMap(({ meta }) => meta.openapi.tags);

    expect(used.filter((tag) => !tags.includes(tag))).toEqual([]);
  });

  it('has a webhook for every event, with its body and its headers', () => {
    expect(Object.keys(body.webhooks)).toEqual(EVENT_NAMES);
    const { post } = body.webhooks['post.metrics'];
    expect(post.parameters.map(({ name, required }: { name: string; required: boolean }) => [name, required])).toEqual([
      ['x-service-event', true],
      ['x-service-event-id', true],
      ['x-service-delivery', true],
      ['x-service-mode', true],
      ['x-service-signature', true],
      ['x-service-signature-alternate', false],
    ]);
    expect(post.requestBody.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/PostMetricsEvent',
    });
    expect(Object.keys(body.components.schemas.PostMetricsEvent.properties).toSorted()).toEqual([
      'event',
      'eventId',
      'metrics',
      'post',
      'timestamp',
    ]);
  });

  it('says which events a webhook gets that names none', () => {
    const { events } = body.paths['/webhooks'].post.requestBody.content['application/json'].schema.properties;
    const names = [...events.description.matchAll(/\b[a-z]+\.[a-z_]+/g)].map(([name]) => name);

    expect(names).toEqual([...DEFAULT_EVENT_NAMES]);
  });

  it('names the credentials of each platform that takes them', () => {
    const { properties } = body.paths['/connections'].post.requestBody.content['application/json'].schema;
    const described = Object.fromEntries(
      [...properties.credentials.description.matchAll(/(\w+): \{([^}]*)\}/g)].map(([, id, fields]) => [
        id,
        fields.split(',').flatMap((field: string) => field.trim() || []),
      ]),
    );

    const taken = Object.entries(world.context.platforms).map(([id, { credentials }]) => {
      const { properties: fields = {}, required = [] } = z.toJSONSchema(credentials as z.ZodType, { io: 'input' });
      return [id, Object.keys(fields).map((name) => (required.includes(name) ? name : `${name}?`))];
    });
    expect(described).toEqual(Object.fromEntries(taken));
  });

  it('describes both signatures of a delivery after a rotation as they are sent', () => {
    const { parameters } = body.webhooks['post.sent'].post;
    const now = new Date(1_795_262_400_000);
    const signing = { secret: 'whsec_new', alternateSecret: 'whsec_old', now, version: '2.0.0' };
    const sent = deliveryHeaders({ id: 'e', event: 'post.sent', mode: 'live', body: '{}' }, signing);

    for (const name of ['x-service-signature', 'x-service-signature-alternate']) {
      const { schema } = parameters.find((parameter: { name: string }) => parameter.name === name);
      expect(schema).toEqual({ type: 'string', pattern: '^t=[0-9]+,v1=[0-9a-f]{64}$' });
      expect(sent[name]).toMatch(new RegExp(schema.pattern));
    }
  });

  it('describes the simple endpoint with a text body, and its time in the query', () => {
    const { requestBody, parameters } = body.paths['/post/{connectionSlug}'].post;

    expect(Object.keys(requestBody.content)).toEqual(['text/plain', 'application/x-www-form-urlencoded']);
    expect(requestBody.content['text/plain'].schema).toMatchObject({ type: 'string' });
    expect(
      parameters.map((parameter: { name: string; in: string; required?: boolean }) => [
        parameter.name,
        parameter.in,
        parameter.required,
      ]),
    ).toEqual([
      ['connectionSlug', 'path', true],
      ['scheduled_for', 'query', false],
      ['rewrite', 'query', false],
    ]);
  });

  it('describes the error body with every error code', () => {
    expect(body.components.schemas.Error.properties.error.enum).toEqual(Object.keys(ERRORS));
    expect(body.components.schemas.Error.required).toEqual(['error']);
  });

  it('gives every operation a unique id, a summary and a tag', () => {
    const described = documented().map((call) => {
      const [method = '', path = ''] = call.split(' ');
      return body.paths[path][method.toLowerCase()];
    });

    expect(new Set(described.map(({ operationId }) => operationId)).size).toBe(described.length);
    expect(described.filter(({ summary, tags }) => !summary || tags?.length !== 1)).toEqual([]);
  });
});

describe('405 method_not_allowed', () => {
  it('is the answer to another method, with the allowed one', async () => {
    const answer = await world.rest('POST /openapi.json');

    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET');
    expect(answer.body).toEqual(refusal('method_not_allowed', 'POST is not a method of this path; it has GET.'));
  });
});
