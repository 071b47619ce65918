/** Asks for or deletes one status, and tells whether the server says that it does not exist. */
import type { PlatformIo } from '../contract.ts';
import { isProxyPage, type PlatformAnswer } from '../http.ts';
import { type Access, callMastodon } from './api.ts';

interface AboutStatus {
  readonly answer: PlatformAnswer;
  readonly isGone: boolean;
}

/**
 * A page with 404 is that of a proxy whose server is down, or of a server without such a status: some, such as snac, say it with
 * a page. If the server answers otherwise, the call is repeated, and a second page counts.
 */
export async function askAboutStatus(
  io: PlatformIo,
  access: Access,
  id: string,
  method: 'GET' | 'DELETE',
): Promise<AboutStatus> {
  const ask = () => callMastodon(io, access, `/api/v1/statuses/${encodeURIComponent(id)}`, { method });
  const answer = await ask();
  if (!isMissing(answer)) return { answer, isGone: false };
  if (!isProxyPage(answer)) return { answer, isGone: true };
  if (!(await isServing(io, access))) return { answer, isGone: false };
  const repeated = await ask();
  return { answer: repeated, isGone: isMissing(repeated) };
}

function isMissing({ status }: PlatformAnswer): boolean {
  return status === 404 || status === 410;
}

async function isServing(io: PlatformIo, access: Access): Promise<boolean> {
  const answer = await callMastodon(io, access, '/api/v1/instance');
  return answer.status === 200 && answer.body !== null && !isProxyPage(answer);
}
