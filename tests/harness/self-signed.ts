/** A self-signed certificate, generated for this run (RFC 5280, with minimal DER). */
import { generateKeyPairSync, sign } from 'node:crypto';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const time = (text: string) => der(0x17, Buffer.from(text));
const commonName = der(0x06, Buffer.from([0x55, 0x04, 0x03]));
const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from('127.0.0.1')))));
const ecdsaWithSha256 = sequence(der(0x06, Buffer.from([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])));

/** Its alternative names: 127.0.0.1 and localhost (subjectAltName). */
const alternativeNames = sequence(
  der(0x06, Buffer.from([0x55, 0x1d, 0x11])),
  der(0x04, sequence(der(0x87, Buffer.from([127, 0, 0, 1])), der(0x82, Buffer.from('localhost')))),
);

const content = sequence(
  der(0xa0, der(0x02, Buffer.from([2]))),
  der(0x02, Buffer.from([1])),
  ecdsaWithSha256,
  name,
  sequence(time('200101000000Z'), time('491231235959Z')),
  name,
  publicKey.export({ type: 'spki', format: 'der' }),
  der(0xa3, sequence(alternativeNames)),
);
const signature = sign('sha256', content, privateKey);
const certificate = sequence(content, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));

export const SELF_SIGNED = {
  key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  certificate: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
};
