/** The webhooks section of the OpenAPI document: what receivers are sent, from the declarations of the events. Pure. */
import { z } from 'zod';
import { type EventName, EVENT_NAMES } from '../entities/event.ts';
import { EVENT_BODIES, EVENTS } from '../services/events/event-payloads.ts';

type Part = Record<string, unknown>;

interface Header {
  readonly description: string;
  readonly schema: Part;
  /** False for a header that only some deliveries carry. */
  readonly required?: boolean;
}

const SIGNATURE: Part = { type: 'string', pattern: '^t=[0-9]+,v1=[0-9a-f]{64}$' };

/** Headers of a delivery, each with what it holds. */
const HEADERS: Readonly<Record<string, Header>> = {
  'x-service-event': { description: 'Name of the event.', schema: { type: 'string', enum: EVENT_NAMES } },
  'x-service-event-id': {
    description: 'Id of the event, as in the body. Remember the ids you have dealt with: a delivery can arrive twice.',
    schema: { type: 'string', format: 'uuid' },
  },
  'x-service-delivery': { description: 'Id of the delivery.', schema: { type: 'string', format: 'uuid' } },
  'x-service-mode': {
    description: 'test when a test key is behind the event.',
    schema: { type: 'string', enum: ['live', 'test'] },
  },
  'x-service-signature': {
    description:
      't is the time of the attempt in Unix seconds; v1 is the hex HMAC-SHA256 of `<t>.<body>` under the secret of the webhook, over the bytes of the body.',
    schema: SIGNATURE,
  },
  'x-service-signature-alternate': {
    description:
      'Only for 24 hours after a rotation of the secret: a second signature in the same format, under the other of the two secrets.',
    schema: SIGNATURE,
    required: false,
  },
};

/** The `webhooks` section, one entry per event. */
export function webhookItems(): Record<string, Part> {
  return Object.fromEntries(EVENT_NAMES.map((name) => [name, { post: delivery(name) }]));
}

/** The schemas of the bodies, for the components section. */
export function eventSchemas(): Record<string, Part> {
  return Object.fromEntries(
    EVENT_NAMES.map((name) => {
      const { $schema: _dialect, ...schema } = z.toJSONSchema(EVENT_BODIES[name], { io: 'output' }) as Part;
      return [schemaName(name), { ...schema, description: EVENTS[name].summary }];
    }),
  );
}

function delivery(name: EventName): Part {
  return {
    operationId: `on_${name.replace('.', '_')}`,
    tags: ['Webhooks'],
    summary: name,
    description: `${EVENTS[name].summary} Posted, signed and retried, to every webhook that subscribes to it. Answer within 5 seconds.`,
    security: [],
    parameters: Object.entries(HEADERS).map(([header, rest]) => ({
      name: header,
      in: 'header',
      required: true,
      ...rest,
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${schemaName(name)}` } } },
    },
    responses: {
      '2XX': { description: 'Delivered. The body is discarded.' },
      '4XX': { description: 'Not delivered: it is tried again, as after any other status and after no answer.' },
    },
  };
}

/** `post.sent` becomes `PostSentEvent`. */
function schemaName(name: EventName): string {
  return `${name.replaceAll(/(?:^|[._])(\w)/g, (_all, letter: string) => letter.toUpperCase())}Event`;
}
