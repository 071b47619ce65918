/** What Compose does around a send: it sends the text that was shown, and keeps what is written meanwhile. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Composition, newComposition } from '../../../console/app/views/compose/composition.ts';
import { sendComposition } from '../../../console/app/views/compose/send-composition.ts';
import { NOTHING } from '../../../console/app/views/compose/send.ts';
import { BELL, fakeService, newStore, planned, sendingOf, sendPlanned, write } from './compose-world.ts';

const HOUR = 3_600_000;
const DIRECTORY = { connections: [BELL], platforms: new Map() };

/** A send of the shown text whose answers are held back. */
function sendHeld() {
  const service = fakeService();
  const store = newStore();
  const { id } = write(store);
  const arrive = service.hold();
  const sent = sendComposition(sendingOf(service, store), DIRECTORY, () => undefined);
  return {
    service,
    store,
    id,
    arrive,
    sent,
    texts: () => [store.current(), ...store.others()].map(({ text }) => text),
  };
}

/** A send of the shown text whose answer was lost. */
async function sendLost() {
  const service = fakeService();
  const store = newStore();
  write(store);
  service.refuse(null);
  const send = () => sendComposition(sendingOf(service, store), DIRECTORY, () => undefined);
  await send();
  service.refuse();
  return { service, store, send };
}

describe('a send that succeeds', () => {
  it('leaves nothing of the text that went out', async () => {
    const { arrive, sent, texts } = sendHeld();
    arrive();
    await sent;

    expect(texts()).toEqual(['']);
  });

  it('leaves nothing of it either when another chosen connection was disconnected meanwhile', async () => {
    const service = fakeService();
    const store = newStore();
    write(store, { targets: [BELL.id, 'disconnected meanwhile'] });

    await sendComposition(sendingOf(service, store), DIRECTORY, () => undefined);

    expect(service.textsOf('sent')).toEqual(['Ding']);
    expect(store.current()).toMatchObject({ text: '', targets: [] });
  });

  it('leaves the text that was written beside it', async () => {
    const { store, arrive, sent, texts } = sendHeld();
    store.show(newComposition());
    store.change({ text: 'Dong' });
    arrive();
    await sent;

    expect(texts()).toEqual(['Dong']);
  });

  it('keeps a text that was changed during the send, without its connections', async () => {
    const { store, id, service, arrive, sent } = sendHeld();
    arrive();
    const release = service.hold();
    await expect.poll(() => service.calls).toEqual(['list', 'create']);
    store.change({ text: 'Ding, dong' });
    release();
    await sent;

    expect(service.textsOf('sent')).toEqual(['Ding']);
    expect(store.current()).toMatchObject({ id, text: 'Ding, dong', targets: [], pending: null });
  });

  it('sends the text that was shown when it was asked for, not one that is shown later', async () => {
    const { store, service, arrive, sent } = sendHeld();
    write(store, { text: 'Not finished' });
    arrive();
    await sent;

    expect(service.textsOf('sent')).toEqual(['Ding']);
    expect(store.current().text).toBe('Not finished');
  });
});

describe('a send that is asked for twice before the first one has an answer', () => {
  it('goes out once, also when the view was left and opened again between them', async () => {
    const { service, store, arrive, sent, texts } = sendHeld();
    const again = sendComposition(sendingOf(service, store), DIRECTORY, () => undefined);
    arrive();
    await Promise.all([sent, again]);

    expect(service.textsOf('sent')).toEqual(['Ding']);
    expect(texts()).toEqual(['']);
  });

  it('keeps the record of a later send when its own answer is late', async () => {
    const { service, store, send } = await sendLost();
    const arrive = service.hold();
    const late = send();
    // The person has looked: it did not go out, and is sent as new.
    store.change({ pending: null });
    const later = send();
    const record = store.current().pending;
    arrive();
    const release = service.hold();
    await late;
    const kept = store.current().pending;
    release();
    await later;

    expect(record?.kind).toBe('send');
    expect(kept).toEqual(record);
  });
});

it('a text stays when all its connections were disconnected, and nothing is sent', async () => {
  const service = fakeService();
  const store = newStore();
  write(store, { targets: ['disconnected meanwhile'] });

  await sendComposition(sendingOf(service, store), DIRECTORY, () => undefined);

  expect(service.calls).toEqual([]);
  expect(store.current()).toMatchObject({ text: 'Ding', pending: null });
});

it('a text that is discarded before its send begins is not sent', async () => {
  const { store, id, service, arrive, sent } = sendHeld();
  store.forget(id);
  arrive();
  await sent;

  expect(service.posts).toEqual([]);
});

describe('a send whose answer was lost', () => {
  it.each([
    ['keeps a text that was changed before it was asked about again', { text: 'Ding dong' }, 'Ding dong'],
    ['leaves nothing of a text whose connections alone were changed', { targets: [] }, ''],
  ])('%s', async (_what, changes, left) => {
    const { service, store, send } = await sendLost();
    store.change(changes);

    await send();

    expect(service.textsOf('sent')).toEqual(['Ding']);
    expect(store.current()).toMatchObject({ text: left, targets: [], pending: null });
  });

  const SENT_AT = Date.parse('2026-11-21T12:00:00.000Z');

  /** Asks again so many hours later. */
  async function askedAgainAfter(hours: number) {
    vi.useFakeTimers({ toFake: ['Date'], now: SENT_AT });
    onTestFinished(() => void vi.useRealTimers());
    const { service, store, send } = await sendLost();
    service.calls.splice(0);
    vi.setSystemTime(SENT_AT + hours * HOUR);
    await send();
    return { calls: service.calls, pending: store.current().pending?.kind ?? null };
  }

  it('is asked about again while the service knows its key', async () => {
    expect(await askedAgainAfter(22)).toEqual({ calls: ['create'], pending: null });
  });

  it('is left to the person when the service may have forgotten its key', async () => {
    expect(await askedAgainAfter(23)).toEqual({ calls: [], pending: 'send' });
  });
});

describe('a save whose answer was lost', () => {
  const SAVED_AT = Date.parse('2026-11-21T12:00:00.000Z');

  /** A text whose save arrived so many hours ago, and is sent now. */
  async function sentAfter(hours: number, changes: Partial<Composition> = {}) {
    vi.useFakeTimers({ toFake: ['Date'], now: SAVED_AT });
    onTestFinished(() => void vi.useRealTimers());
    const service = fakeService();
    const store = newStore();
    write(store);
    const sending = sendingOf(service, store);
    service.refuse(null);
    await sendPlanned(sending, 'save', planned({ isDraft: true }));
    service.refuse();
    service.calls.splice(0);
    vi.setSystemTime(SAVED_AT + hours * HOUR);
    store.change(changes);
    return { service, store, send: () => sendComposition(sending, DIRECTORY, () => undefined) };
  }

  it('is repeated before a send while the service knows its key', async () => {
    const { service, store, send } = await sentAfter(22);

    await send();

    expect(service.calls).toEqual(['create', 'list', 'create']);
    expect([service.textsOf('sent'), service.textsOf('draft')]).toEqual([['Ding'], []]);
    expect(store.current()).toMatchObject({ text: '', pending: null });
  });

  it.each([
    ['of the same text', {}, 'Ding'],
    ['of a text that was changed since', { text: 'Ding dong' }, 'Ding dong'],
  ])('leaves no draft %s when the service may have forgotten its key', async (_what, changes, text) => {
    const { service, store, send } = await sentAfter(23, changes);

    await send();

    expect(service.calls).toEqual(['list', 'get post-1', 'list', 'create']);
    expect([service.textsOf('sent'), service.textsOf('draft')]).toEqual([[text], []]);
    expect(store.current()).toMatchObject({ text: '', pending: null });
  });

  it('leaves the drafts of others then: of other texts, connections and times, and those that another text has', async () => {
    const { service, store, send } = await sentAfter(30);
    const draft = async (text: string, slug: string, hours: number) => {
      vi.setSystemTime(SAVED_AT + hours * HOUR);
      const input = { text, connectionSlugs: [slug], isDraft: true, idempotencyKey: `${text} ${slug} ${hours}` };
      const { results } = await service.api.posts.create.mutate(input);
      return results[0]?.postId ?? '';
    };
    const others = [await draft('Dong', 'bell', 1), await draft('Ding', 'gong', 1), await draft('Ding', 'bell', 30)];
    const taken = await draft('Ding', 'bell', 2);
    const present = store.current();
    write(store, { drafts: { [BELL.id]: taken } });
    store.show(present);

    await send();

    const left = service.posts.filter(({ status }) => status === 'draft').map(({ id }) => id);
    expect([service.textsOf('sent'), left]).toEqual([['Ding'], [...others, taken]]);
  });

  it('is not sent with a text while its drafts cannot be found', async () => {
    const { service, store, send } = await sentAfter(23);
    service.refuse('internal_server_error');

    await expect(send()).rejects.toThrow('No.');
    service.refuse();

    expect([service.textsOf('sent'), store.current().pending?.kind]).toEqual([[], 'save']);
  });

  it('is dropped when the session may not read drafts', async () => {
    const { service, send } = await sentAfter(23);
    service.refuseReads('forbidden');

    await send();

    expect([service.textsOf('sent'), service.textsOf('draft')]).toEqual([['Ding'], ['Ding']]);
  });
});

it('a text whose time was cleared since the press stays, because it would go out at once', async () => {
  const service = fakeService();
  const store = newStore();
  write(store, { when: 'time', time: '' });

  const sent = await sendComposition(sendingOf(service, store), DIRECTORY, () => undefined);

  expect(sent).toBe(NOTHING);
  expect([service.textsOf('sent'), store.current()]).toMatchObject([[], { text: 'Ding', pending: null }]);
});
