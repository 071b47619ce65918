/**
 * The types of the API, inferred from the service. The build writes the same types without imports in place of this file
 * (`scripts/client-types.ts`), so that the package needs none of the service; a test compares both.
 */
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { ErrorBody as ServiceErrorBody } from '../errors/error-body.ts';
import type { AppRouter } from '../routers/index.ts';
import type { EventPayload, EVENTS } from '../services/events/event-payloads.ts';

/** What a call takes, by resource and operation: `Inputs['posts']['create']`. */
export type Inputs = inferRouterInputs<AppRouter>;

/** What a call answers, by resource and operation: `Outputs['posts']['create']`. */
export type Outputs = inferRouterOutputs<AppRouter>;

/** Whether an operation reads or changes, by resource and operation. */
export type Kinds = {
  [Resource in keyof Inputs]: {
    [Name in keyof Inputs[Resource]]: Name extends keyof AppRouter['_def']['record'][Resource]
      ? AppRouter['_def']['record'][Resource][Name] extends { _def: { type: infer Kind } }
        ? Kind
        : never
      : never;
  };
};

/** The fields of each event besides those that all have. */
export type EventPayloads = { [Name in keyof typeof EVENTS]: EventPayload<Name> };

/** The body of an error, the same on every interface. */
export type ErrorBody = ServiceErrorBody;

/** Code of an error. */
export type ErrorCode = ErrorBody['error'];
