/** Reads server-sent events (WHATWG HTML, section 9.2), as far as GET /events uses them. */

/** One message. Without data it only gives the position of the stream. */
export interface EventMessage {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly mode: string | undefined;
  readonly data: string | undefined;
}

export async function* eventMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<EventMessage> {
  let fields = new Map<string, string>();
  for await (const line of lines(body)) {
    if (line !== '') {
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
      if (name !== '') fields.set(name, value);
      continue;
    }
    const { id, event, mode, data } = Object.fromEntries(fields);
    fields = new Map();
    yield { id, event, mode, data };
  }
}

// An incomplete last line was cut off, and is sent again.
async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}
