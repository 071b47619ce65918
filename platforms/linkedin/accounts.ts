/** Finds the owner of a credential and the pages that this member may post as. */
import { z } from 'zod';
import { PlatformFailure, type PlatformIo } from '../contract.ts';
import { isProxyPage, type PlatformAnswer } from '../http.ts';
import { callLinkedIn, failure, isOk } from './api.ts';

export interface Member {
  /** `urn:li:person:…` */
  readonly urn: string;
  readonly name: string;
}

export interface LinkedInPage {
  readonly organizationId: string;
  /** Last segment of its public URL. */
  readonly vanityName: string | undefined;
  readonly name: string;
}

/** Page roles that can post; the other roles are for advertisements and reports. */
const ROLES = ['ADMINISTRATOR', 'CONTENT_ADMINISTRATOR'];

/** Roles to request at once, of any kind: reports and advertisements too. */
const AT_ONCE = 100;

/** Requests after which the list ends. */
const REQUESTS_MAX = 10;

const ORGANIZATION = /^urn:li:organization(?:Brand)?:(\d+)$/;

const UserInfo = z.object({ sub: z.string().min(1), name: z.string().optional() });
const Acls = z.object({
  elements: z.array(
    z.object({
      role: z.string(),
      // Two names of the same role, depending on the version.
      organization: z.string().optional(),
      organizationTarget: z.string().optional(),
    }),
  ),
});
const Organization = z.object({ localizedName: z.string().min(1), vanityName: z.string().min(1).optional() });

/** @returns null when the credential lacks the scope `openid`, which is needed to identify its owner */
export async function readMember(io: PlatformIo, accessToken: string): Promise<Member | null> {
  const answer = await callLinkedIn(io, accessToken, '/v2/userinfo');
  if (answer.status === 403 && !isProxyPage(answer)) return null;
  const { sub, name } = read(UserInfo, answer, 'the member of this credential');
  return { urn: `urn:li:person:${sub}`, name: name ?? sub };
}

/** Lists the ids of the pages that the member may post as. */
export async function listPageIds(io: PlatformIo, accessToken: string): Promise<string[]> {
  const ids = new Set<string>();
  for (let request = 0; request < REQUESTS_MAX; request += 1) {
    const part = `start=${request * AT_ONCE}&count=${AT_ONCE}`;
    const path = `/rest/organizationAcls?q=roleAssignee&state=APPROVED&${part}`;
    const answer = await callLinkedIn(io, accessToken, path, { restli: 'FINDER' });
    const { elements } = read(Acls, answer, 'your pages');
    for (const { role, organization, organizationTarget } of elements) {
      const id = ORGANIZATION.exec(organization ?? organizationTarget ?? '')?.[1];
      if (id !== undefined && ROLES.includes(role)) ids.add(id);
    }
    if (elements.length < AT_ONCE) break;
  }
  return [...ids];
}

export async function readPage(io: PlatformIo, accessToken: string, organizationId: string): Promise<LinkedInPage> {
  const answer = await callLinkedIn(io, accessToken, `/rest/organizations/${encodeURIComponent(organizationId)}`);
  const { localizedName: name, vanityName } = read(Organization, answer, `the page ${organizationId}`);
  return { organizationId, vanityName, name };
}

function read<Shape>(schema: z.ZodType<Shape>, answer: PlatformAnswer, what: string): Shape {
  if (!isOk(answer)) throw failure(answer);
  const parsed = schema.safeParse(answer.body);
  if (parsed.success) return parsed.data;
  throw new PlatformFailure('unavailable', `LinkedIn answered without ${what}.`);
}
