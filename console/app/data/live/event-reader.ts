/** Reads a stream of server-sent events with fetch, because EventSource cannot send the headers that authenticate. */

export interface StreamMessage {
  /** Name of the event. */
  readonly event: string;
  /** Position after it; undefined when it does not move the position. */
  readonly id: string | undefined;
  readonly data: string;
}

/** Messages of a stream as they arrive. A message without data still carries a position. */
export async function* readMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield parseBlock(block);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parseBlock(block: string): StreamMessage {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    // With the flag s, because JSON keeps U+2028 and U+2029 as they are, and only U+000A ends a line.
    const [, name = '', value = ''] = /^([a-z]+): ?(.*)$/s.exec(line) ?? [];
    if (name !== '') fields.set(name, value);
  }
  return { event: fields.get('event') ?? 'message', id: fields.get('id'), data: fields.get('data') ?? '' };
}
