import { expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';

const read = (value?: string) => readConfig(value === undefined ? {} : { MEDIA_STORE: value }).mediaStore;
const S3 = { kind: 's3', bucket: 'images', endpoint: undefined, region: undefined, prefix: '' };

it.each([
  [undefined, { kind: 'file' }],
  ['file', { kind: 'file' }],
  ['s3://images', S3],
  ['s3://images/', S3],
  ['s3://images?region=eu-west-1', { ...S3, region: 'eu-west-1' }],
  [
    's3://images?endpoint=http://127.0.0.1:9000&region=x&prefix=carillon/',
    { kind: 's3', bucket: 'images', endpoint: 'http://127.0.0.1:9000', region: 'x', prefix: 'carillon/' },
  ],
])('MEDIA_STORE=%s', (value, expected) => {
  expect(read(value)).toEqual(expected);
});

it.each([
  ['disk', 'must be file, or s3://bucket'],
  ['s3:images', 'must be file, or s3://bucket'],
  ['s3://images/folder', 'must be file, or s3://bucket'],
  ['s3://', '"" is not the name of a bucket'],
  ['s3://Images_1', '"Images_1" is not the name of a bucket'],
  ['s3://images:9000', '"images:9000" is not the name of a bucket'],
  ['s3://key:secret@images', 'must not carry credentials'],
  ['s3://images?endpiont=http://x', '"endpiont" is not one of endpoint, region, prefix'],
  ['s3://images?endpoint=127.0.0.1:9000', 'its endpoint must be an origin'],
  ['s3://images?endpoint=http://x/path', 'its endpoint must be an origin'],
  ['s3://images?region=eu west', 'its region "eu west" has characters'],
])('MEDIA_STORE=%s stops the start with one line', (value, message) => {
  expect(() => read(value)).toThrow(`MEDIA_STORE: ${message}`);
});
