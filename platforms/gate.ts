/**
 * The gate between the adapters and all other code (docs/contract/platforms.md#what-platforms-send). Platform
 * data is untrusted even in successful responses. The registry wraps every adapter, so no adapter can omit the
 * gate. The gate checks return values, removes secrets from errors, and limits the size of responses.
 */
import { cleanFailure, cleanPlatformFailure } from './clean-failure.ts';
import {
  type AnyPlatform,
  type FetchInit,
  type CredentialRenewal,
  PlatformFailure,
  type PlatformIo,
} from './contract.ts';
import type { AlternativeConnect, HostedConnect, OauthConnect, OauthIo } from './connect.ts';
import { createKnownSecrets, type KnownSecrets } from './known-secrets.ts';
import type { Session } from './credential.ts';
import {
  checkedAccount,
  checkedAccounts,
  checkedCredential,
  checkedPrepared,
  checkedPublished,
  checkedReading,
} from './untrusted-results.ts';

/** Maximum bytes of one response body. */
const ANSWER_MAX_BYTES = 5 * 1_048_576;

/** The first and the last year that the database can store in an instant. */
const YEAR_MIN = 1;
const YEAR_MAX = 9_999;

type AnySession = Session<unknown>;

/** Wraps a platform so that each call passes the gate; its facts are unchanged. */
export function gatePlatform(platform: AnyPlatform): AnyPlatform {
  const { name, renewal, hosted, prepare, assemble, readBack, remove, readMetrics, checkApp } = platform;
  return {
    ...platform,
    hosted: hosted === null ? null : gateHosted(name, hosted),
    ...(renewal && { renewal: gateRenewal(name, renewal) }),
    connectAccount: (input, io) =>
      guarded(io, [input], async (inner) => checkedAccount(name, await platform.connectAccount(input, inner))),
    publish: (session, part, io) =>
      withSession(name, session, io, async (own, inner) =>
        checkedPublished(name, await platform.publish(own, part, inner)),
      ),
    ...(checkApp && { checkApp: (io: PlatformIo) => guarded(io, [], (inner) => checkApp(inner)) }),
    ...(prepare && {
      prepare: (session: AnySession, images, io) =>
        withSession(name, session, io, async (own, inner) => checkedPrepared(name, await prepare(own, images, inner))),
    }),
    ...(assemble && {
      assemble: (session: AnySession, post, io) =>
        withSession(name, session, io, async (own, inner) => checkedPrepared(name, await assemble(own, post, inner))),
    }),
    ...(readBack && {
      readBack: (session: AnySession, part, io) =>
        withSession(name, session, io, async (own, inner, known) => {
          const found = await readBack(own, part, inner);
          if (found instanceof PlatformFailure) return cleanPlatformFailure(found, known);
          return found === null ? null : checkedPublished(name, found);
        }),
    }),
    ...(remove && {
      remove: (session: AnySession, published, io) =>
        withSession(name, session, io, (own, inner) => remove(own, published, inner)),
    }),
    ...(readMetrics && {
      readMetrics: (session: AnySession, posts, io) =>
        withSession(name, session, io, async (own, inner) =>
          checkedReading(posts, await readMetrics(own, posts, inner)),
        ),
    }),
  };
}

function gateRenewal(name: string, renewal: CredentialRenewal<unknown>): CredentialRenewal<unknown> {
  return {
    ...renewal,
    dueAt: (credential) => storableInstant(renewal.dueAt(credential)),
    endsAt: (credential) => storableInstant(renewal.endsAt(credential)),
    renew: (stale, io) =>
      guarded(io, [stale], async (inner) => checkedCredential(name, await renewal.renew(stale, inner))),
  };
}

/** Null for an instant that the database cannot store. */
function storableInstant(instant: Date | null): Date | null {
  const year = instant?.getUTCFullYear() ?? Number.NaN;
  return year >= YEAR_MIN && year <= YEAR_MAX ? instant : null;
}

function gateHosted(name: string, hosted: HostedConnect<unknown>): HostedConnect<unknown> {
  const { oauth, alternative } = hosted;
  return {
    ...hosted,
    ...(oauth && { oauth: gateOauth(name, oauth) }),
    ...(alternative && { alternative: gateAlternative(name, alternative) }),
  };
}

function gateAlternative(name: string, alternative: AlternativeConnect): AlternativeConnect {
  return {
    ...alternative,
    oauth: gateOauth(name, alternative.oauth),
    connectAccount: (granted, io) =>
      guarded(io, [granted], async (inner) => checkedAccount(name, await alternative.connectAccount(granted, inner))),
  };
}

function gateOauth<Input>(name: string, oauth: OauthConnect<Input>): OauthConnect<Input> {
  return {
    ...oauth,
    begin: (typed, request, io) =>
      guarded(io, [request.verifier, request.state], async (inner) => {
        const { url, memo } = await oauth.begin(typed, request, inner);
        const page = /^https?:/i.test(url) ? URL.parse(url)?.href : undefined;
        if (page === undefined) throw new PlatformFailure('rejected', `${name} names a page that is not on the web.`);
        return { url: page, memo: checkedCredential(name, memo) };
      }),
    finish: (answer, request, memo, io) =>
      guarded(io, [memo, request.verifier, request.state, answer.get('code')], async (inner) =>
        checkedAccounts(await oauth.finish(answer, request, memo, inner)),
      ),
  };
}

/** @param secrets the secrets of this call, in addition to those of the install */
async function guarded<Io extends PlatformIo, Result>(
  io: Io,
  secrets: readonly unknown[],
  work: (io: Io, known: KnownSecrets) => Promise<Result>,
): Promise<Result> {
  const known = createKnownSecrets(io);
  known.add(secrets);
  try {
    return await work(watchedIo(io, known), known);
  } catch (error) {
    throw cleanFailure(error, known);
  }
}

function withSession<Result>(
  name: string,
  session: AnySession,
  io: PlatformIo,
  work: (session: AnySession, io: PlatformIo, known: KnownSecrets) => Promise<Result>,
): Promise<Result> {
  return guarded(io, [session.credential], (inner, known) => work(watchedSession(name, session, known), inner, known));
}

/** The cause of a failed renewal is stored with the connection before the call's own failure is. */
function watchedSession(name: string, session: AnySession, known: KnownSecrets): AnySession {
  return {
    ...session,
    renew: async (refresh) => {
      const renewed = await session.renew(async (stale, signal) => {
        known.add(stale);
        try {
          return checkedCredential(name, await refresh(stale, signal));
        } catch (error) {
          throw cleanFailure(error, known);
        }
      });
      known.add(renewed);
      return renewed;
    },
  };
}

/** Wraps the network: collects the secrets of each request and limits the size of each response. */
function watchedIo<Io extends PlatformIo>(io: Io, known: KnownSecrets): Io {
  const fetch = (url: string | URL, init: FetchInit = {}) => {
    known.addRequest(url, init);
    return io.fetch(url, { maxResponseBytes: ANSWER_MAX_BYTES, ...init });
  };
  const { keptApp } = io as Partial<OauthIo>;
  const kept: Partial<OauthIo> =
    keptApp === undefined
      ? {}
      : {
          keptApp: async (origin, register) => {
            const app = await keptApp(origin, register);
            known.add(app);
            return app;
          },
        };
  return { ...io, fetch, ...kept };
}
