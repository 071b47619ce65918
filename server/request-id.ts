/** Gives every request a unique id, which its answer and its log lines carry. */
import type { ServerResponse } from 'node:http';
import type { Random } from '../services/clock.ts';

const ID = Symbol('request id');

interface Identified {
  [ID]?: string;
}

export function giveRequestId(response: ServerResponse & Identified, random: Random): void {
  response[ID] = random.uuid();
}

export function requestIdOf(response: ServerResponse & Identified): string {
  return response[ID] ?? '';
}
