/** Reads server-sent events (WHATWG HTML, section 9.2), as far as GET /events uses them. */

/** One message. Without data it only gives the position of the stream. */
export interface EventMessage {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly mode: string | undefined;
  readonly data: string | undefined;
  /** Milliseconds to wait before reconnecting. */
  readonly retry: string | undefined;
}

/** @param read gives the next bytes, and undefined at the end; default: reads the body */
export async function* eventMessages(
  body: ReadableStream<Uint8Array>,
  read: (reader: ReadableStreamDefaultReader<Uint8Array>) => Promise<Uint8Array | undefined> = nextBytes,
): AsyncGenerator<EventMessage> {
  let fields = new Map<string, string>();
  for await (const line of lines(body, read)) {
    if (line !== '') {
      // With the flag s, because JSON keeps U+2028 and U+2029 as they are, and only U+000A ends a line.
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (name !== '') fields.set(name, value);
      continue;
    }
    const { id, event, mode, data, retry } = Object.fromEntries(fields);
    fields = new Map();
    yield { id, event, mode, data, retry };
  }
}

export async function nextBytes(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  return (await reader.read()).value;
}

// Not every browser iterates a stream. An incomplete last line was cut off, and is sent again.
async function* lines(
  body: ReadableStream<Uint8Array>,
  read: NonNullable<Parameters<typeof eventMessages>[1]>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (let bytes = await read(reader); bytes !== undefined; bytes = await read(reader)) {
      const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      yield* parts;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
