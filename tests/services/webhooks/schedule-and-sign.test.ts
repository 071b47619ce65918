/** The retry schedule and the signature, checked against the values that receivers rely on. */
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { ATTEMPTS_MAX, nextAttemptAt } from '../../../services/webhooks/schedule.ts';
import { sign } from '../../../services/webhooks/sign.ts';
import { START } from '../../harness/test-clock.ts';

it.each([
  [1, '12:01:00.000Z'],
  [2, '12:05:00.000Z'],
  [3, '12:30:00.000Z'],
  [4, '14:00:00.000Z'],
  [5, '18:00:00.000Z'],
])('after attempt %i that began at 12:00 the next is due at %s', (attempts, time) => {
  expect(nextAttemptAt(attempts, START)?.toISOString()).toBe(`2026-11-21T${time}`);
});

it('waits twelve hours before the seventh attempt, which is the last', () => {
  expect(nextAttemptAt(6, START)?.toISOString()).toBe('2026-11-22T00:00:00.000Z');
  expect(nextAttemptAt(7, START)).toBeNull();
  expect(ATTEMPTS_MAX).toBe(7);
});

it('signs "<t>.<body>" with HMAC-SHA256, t in whole seconds', () => {
  // Computed with: printf '%s' '1795262400.{"eventId":"1"}' | openssl dgst -sha256 -hmac whsec_secret
  expect(sign('{"eventId":"1"}', 'whsec_secret', new Date(START.getTime() + 999))).toBe(
    't=1795262400,v1=c66890ef68063f3b84703619db9a09338d7327352c46c985cfb34ad47570c994',
  );
});

it('signs the bytes of the body, for any characters', () => {
  const body = '{"text":"Glöckchen 🔔 \\u2028"}';
  const bytes = Buffer.concat([Buffer.from('1795262400.'), Buffer.from(body, 'utf8')]);

  const v1 = createHmac('sha256', Buffer.from('whsec_ü')).update(bytes).digest('hex');

  expect(sign(body, 'whsec_ü', START)).toBe(`t=1795262400,v1=${v1}`);
});
