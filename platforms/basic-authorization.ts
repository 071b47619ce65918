/** A name and its secret, as the Basic scheme of HTTP has them. */

export function basicAuthorization(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}
