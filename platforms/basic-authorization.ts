/** Encodes a name and its secret for the HTTP Basic scheme. */

export function basicAuthorization(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}
