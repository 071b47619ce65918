/** AI_BASE_URL: the address of an OpenAI-compatible endpoint, including the path that its API begins with. */

/**
 * Reads `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`.
 *
 * @throws Error saying what is expected, without the value: people write keys into it
 */
export function parseAiBaseUrl(value: string): string {
  const url = URL.parse(value);
  const isPlain = url !== null && !url.username && !url.password && !url.search && !url.hash;
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new Error(
      'must be an address such as https://api.openai.com/v1, without a query; the key goes into AI_API_KEY',
    );
  }
  return url.href.replace(/\/+$/, '');
}
