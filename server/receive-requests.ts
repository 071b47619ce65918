/** What each request gets before it is answered: an id, a span, a line in the log, a place, and the time that it takes. */
import type { RequestListener } from 'node:http';
import { ServiceError } from '../errors/service-error.ts';
import { logAccess } from './access-log.ts';
import type { ClientAddresses } from './client-address.ts';
import { measureDuration } from './probes.ts';
import { giveRequestId } from './request-id.ts';
import { withoutOrigin } from './request-paths.ts';
import { limitRequestsInProgress } from './request-limit.ts';
import type { Runtime } from './runtime.ts';
import { traceRequest } from './trace-requests.ts';
import { writeFailure } from './write-failure.ts';

/** @param answer called for each request that has a place */
export function receiveRequests(
  context: Runtime,
  addresses: ClientAddresses,
  answer: RequestListener,
): RequestListener {
  const takePlace = limitRequestsInProgress(addresses, context.config.maxConnectionsPerAddress);
  const receive: RequestListener = (request, response) => {
    logAccess(context, request, response);
    if (!takePlace(request, response)) return writeFailure(context, response, noPlace());
    measureDuration(context, request, response);
    answer(request, response);
  };
  return (request, response) => {
    request.url = withoutOrigin(request.url ?? '');
    giveRequestId(response, context.random);
    if (context.tracer.isOn) traceRequest(context.tracer, request, response, () => receive(request, response));
    else receive(request, response);
  };
}

/** Another request of the machine ends soon. */
function noPlace(): ServiceError {
  return new ServiceError('too many requests', undefined, { retryAfterSeconds: 1 });
}
