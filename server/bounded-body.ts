/** Limits the size and the duration of an answer's body, and aborts a body that exceeds them. */

/** Limits of an answer's body. */
interface BodyBound {
  /** Name of the answering host, for the error message. */
  readonly host: string;
  /** Largest size in bytes, after decompression. */
  readonly maxBytes: number;
  /** Milliseconds from now until the last byte must arrive, however steadily bytes arrive before that. */
  readonly timeoutMs: number;
}

/**
 * Passes a body on until it exceeds a limit. Reading it then throws an Error that names the limit, and the source is
 * cancelled. Works while streaming: it never passes on more than `maxBytes`.
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
