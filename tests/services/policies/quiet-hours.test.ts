/** When quiet hours end, also on days on which clocks change. */
import { expect, it } from 'vitest';
import { quietEnd } from '../../../services/policies/quiet-hours.ts';

const BERLIN = 'Europe/Berlin';

it.each([
  ['on the next day', { from: '22:00', to: '07:00', timezone: BERLIN }, '2026-11-21T22:00:00Z', '2026-11-22T06:00:00Z'],
  ['on the same day', { from: '22:00', to: '07:00', timezone: BERLIN }, '2026-11-22T03:00:00Z', '2026-11-22T06:00:00Z'],
  // Clocks show 02:10 and 02:30 twice.
  ['the first time', { from: '22:00', to: '02:30', timezone: BERLIN }, '2026-10-25T00:10:00Z', '2026-10-25T00:30:00Z'],
  ['the second time', { from: '22:00', to: '02:30', timezone: BERLIN }, '2026-10-25T01:10:00Z', '2026-10-25T01:30:00Z'],
  // Clocks skip from 02:00 to 03:00, which is later than 02:30.
  ['with the skip', { from: '22:00', to: '02:30', timezone: BERLIN }, '2027-03-28T00:59:00Z', '2027-03-28T01:00:00Z'],
])('end %s', (_when, hours, at, end) => {
  expect(quietEnd(hours, new Date(at)).toISOString()).toBe(new Date(end).toISOString());
});
