/** The dependencies that an adapter receives for one call. */
import type { Fetch, PlatformIo } from '../platforms/contract.ts';
import type { MessageSocket } from '../platforms/io.ts';
import type { Context } from './context.ts';

/** @param timeoutMs real time after which the call is aborted */
export function platformIo(context: Context, timeoutMs: number): PlatformIo {
  return {
    fetch: context.tracer.isOn ? traceRequests(context) : context.fetch,
    openSocket: context.tracer.isOn ? traceSockets(context) : context.openSocket,
    now: () => context.clock.now(),
    sleep: (ms, signal) => context.clock.sleep(ms, signal),
    signal: context.clock.deadline(timeoutMs),
    endpoints: context.config.endpoints,
    apps: context.config.apps,
    mail: context.mail,
  };
}

/** Each request is a span. The host is recorded without the path and the query, which may hold tokens and recipients. */
function traceRequests(context: Context): Fetch {
  return (url, init) => {
    const method = init?.method ?? 'GET';
    const attributes = { 'http.request.method': method, 'server.address': URL.parse(url)?.hostname };
    return context.tracer.span({ name: method, kind: 'client', attributes }, async (span) => {
      const response = await context.fetch(url, init);
      span.set({ 'http.response.status_code': response.status });
      if (response.status >= 400) span.fail(String(response.status));
      return response;
    });
  };
}

/** Each WebSocket connection is a span, from its opening until one side ends it. */
function traceSockets(context: Context): PlatformIo['openSocket'] {
  return (url, options) => {
    const attributes = { 'network.protocol.name': 'websocket', 'server.address': URL.parse(url)?.hostname };
    const opened = Promise.withResolvers<MessageSocket>();
    const traced = context.tracer.span({ name: 'WEBSOCKET', kind: 'client', attributes }, async () => {
      const socket = await context.openSocket(url, options);
      const ended = Promise.withResolvers<void>();
      opened.resolve({
        send: (text) => socket.send(text),
        next: async () => {
          const message = await socket.next();
          if (message === null) ended.resolve();
          return message;
        },
        close: () => {
          socket.close();
          ended.resolve();
        },
      });
      await ended.promise;
    });
    traced.catch(opened.reject);
    return opened.promise;
  };
}
