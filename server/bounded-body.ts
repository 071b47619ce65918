/** Bounds on the body of an answer: so many bytes, so much time, and then it is broken off. */

/** How much of an answer is taken. */
interface BodyBound {
  /** Who answers; for the error message. */
  readonly host: string;
  /** Largest size in bytes, after decompression. */
  readonly maxBytes: number;
  /** Milliseconds from now until the last byte must be there, however steadily it drips. */
  readonly timeoutMs: number;
}

/**
 * Passes a body on until it is over its bounds; then reading it throws an Error that says so, and the
 * source is cancelled. Works while streaming: no more than `maxBytes` are ever passed on.
 */
export function boundedBody(body: ReadableStream, { host, maxBytes, timeoutMs }: BodyBound): ReadableStream {
  let receivedBytes = 0;
  let timer: NodeJS.Timeout;
  const stop = () => clearTimeout(timer);
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start(controller) {
        const late = () => controller.error(new Error(`${host} did not finish its answer within ${timeoutMs} ms.`));
        timer = setTimeout(late, timeoutMs).unref();
      },
      transform(chunk, controller) {
        receivedBytes += chunk.byteLength;
        if (receivedBytes <= maxBytes) return controller.enqueue(chunk);
        stop();
        throw new Error(`${host} answered with more than ${maxBytes} bytes.`);
      },
      flush: stop,
      cancel: stop,
    }),
  );
}
