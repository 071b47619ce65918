/** Content of the conformance fixtures: the smallest picture and the smallest sound. */

/** A PNG of one pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** A WAV file without samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

export const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };

export const audio = { type: 'audio' as const, data: WAV, mimeType: 'audio/wav' };

export function text(words: string): { type: 'text'; text: string } {
  return { type: 'text', text: words };
}

export function embedded(uri: string, mimeType: string, words: string) {
  return { type: 'resource' as const, resource: { uri, mimeType, text: words } };
}
