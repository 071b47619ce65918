/** Reads a plain-text mail as a person does. */

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

export function mailText(raw: string): MailText {
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.slice(0, end).replaceAll(/\r\n[ \t]+/g, ' ');
  const body = raw.slice(end + 4);
  const encoding = /^Content-Transfer-Encoding: (.*)$/im.exec(head)?.[1]?.trim() ?? '7bit';
  const text = decoded(body, encoding).replaceAll('\r\n', '\n').trimEnd();
  return { subject: /^Subject: (.*)$/m.exec(head)?.[1]?.trim() ?? '', text };
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
