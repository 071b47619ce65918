/** Sends of Compose: a text goes out once, and nothing that is written is lost. */
import { describe, expect, it } from 'vitest';
import { newComposition } from '../../../console/app/views/compose/composition.ts';
import { sendPending, storePlanned } from '../../../console/app/views/compose/send.ts';
import { placeOf, storeOf } from '../../../console/app/views/compose/store.ts';
import { canDiscard } from '../../../console/app/views/compose/discard.ts';
import { fakeService, fakeStorage, newStore, planned, sendingOf, sendPlanned, write } from './compose-world.ts';

describe('the requests of a text that is being sent', () => {
  it('go out once, also when a copy of the text from before the answer asks again', async () => {
    const service = fakeService();
    const store = newStore();
    const { id } = write(store);
    const sending = sendingOf(service, store);
    const arrive = service.hold();
    const sent = sendPlanned(sending, 'send', planned());
    const copy = store.current();
    store.forget(id);
    arrive();
    await sent;

    store.show(copy);
    const { pending } = store.current();
    if (pending !== null) await sendPending(sending, pending);

    expect(service.calls).toEqual(['create', 'create']);
    expect(service.textsOf('sent')).toEqual(['Ding']);
    expect(store.current()).toMatchObject({ pending: null, targets: [] });
  });

  it('are not waited for when there are none, as of a save whose last connection was taken out', async () => {
    const service = fakeService();
    const store = newStore();
    write(store);

    const kept = storePlanned(sendingOf(service, store), 'save', []);

    expect([kept, store.current().pending, service.calls]).toEqual([null, null, []]);
  });

  it('are not waited for either when an earlier version of the console kept a record of none', () => {
    const storage = fakeStorage();
    const session = { kind: 'key', key: 'store of an earlier version' } as const;
    const all = [{ ...newComposition(), text: 'Ding', pending: { kind: 'save', startedAt: 0, requests: [] } }];
    storage.setItem(placeOf(session), JSON.stringify({ current: all[0]?.id, all }));
    newStore(storage);

    const store = storeOf(session);

    expect(store.current()).toMatchObject({ text: 'Ding', pending: null });
  });

  it('keep the text from being discarded until they are answered', async () => {
    const service = fakeService();
    const store = newStore();
    write(store);
    service.refuse(null);
    await sendPlanned(sendingOf(service, store), 'send', planned());
    const isKept = !canDiscard(store.current());
    service.refuse();

    const { pending } = store.current();
    if (pending !== null) await sendPending(sendingOf(service, store), pending);

    expect([isKept, canDiscard(store.current())]).toEqual([true, true]);
  });

  it('go out once in a browser that has no room for them', async () => {
    const service = fakeService();
    const store = newStore(fakeStorage({ isFull: true }));
    write(store);
    service.refuse(null);
    const first = await sendPlanned(sendingOf(service, store), 'send', planned());
    service.refuse();

    const { pending } = store.current();
    if (pending !== null) await sendPending(sendingOf(service, store), pending);

    expect([first.isUndecided, service.calls, service.textsOf('sent')]).toEqual([true, ['create', 'create'], ['Ding']]);
    expect(store.current().pending).toBeNull();
  });

  it('go out once when the storage was full after the post went out', async () => {
    const service = fakeService();
    const store = newStore();
    write(store);
    service.refuse('storage_unavailable', 'after');
    const first = await sendPlanned(sendingOf(service, store), 'send', planned());
    service.refuse();

    const { pending } = store.current();
    if (pending !== null) await sendPending(sendingOf(service, store), pending);

    expect([first.isUndecided, service.calls, service.textsOf('sent')]).toEqual([true, ['create', 'create'], ['Ding']]);
    expect(store.current()).toMatchObject({ pending: null, targets: [] });
  });

  it.each(['too many requests', 'unauthorized'])(
    'stay unanswered when asking again is refused with %s',
    async (code) => {
      const service = fakeService();
      const store = newStore();
      write(store);
      service.refuse(null);
      await sendPlanned(sendingOf(service, store), 'send', planned());
      const { pending } = store.current();
      service.refuse(code);

      const asked = pending && (await sendPending(sendingOf(service, store), pending));

      expect(asked?.isUndecided).toBe(true);
      expect(store.current().pending).toEqual(pending);
    },
  );

  it('are not waited for when the service refuses them at first', async () => {
    const service = fakeService();
    const store = newStore();
    write(store);
    service.refuse('too many requests');

    const sent = await sendPlanned(sendingOf(service, store), 'send', planned());

    expect([sent.isUndecided, store.current().pending]).toEqual([false, null]);
  });
});

describe('the drafts of a text', () => {
  it('are not named again once replaced, also that of a chosen connection that was disconnected', async () => {
    const service = fakeService();
    const store = newStore();
    write(store, { targets: ['bell', 'gong'], drafts: { bell: 'draft of bell', gong: 'draft of gong' } });

    await sendPlanned(
      sendingOf(service, store),
      'save',
      planned({ replaces: ['draft of bell', 'draft of gong'], isDraft: true }),
    );

    expect(store.current().drafts).toEqual({ bell: 'post-1' });
  });

  it.each(['save', 'send'] as const)(
    'stay known when a %s names fewer connections and stores nothing, until a later one replaces them',
    async (kind) => {
      const service = fakeService();
      const store = newStore();
      write(store, { drafts: { bell: 'draft of bell', gong: 'draft of gong' } });
      const replacing = planned({ replaces: ['draft of bell', 'draft of gong'], isDraft: true });
      service.reject(true);

      await sendPlanned(sendingOf(service, store), kind, replacing);
      const kept = store.current().drafts;
      service.reject(false);
      await sendPlanned(sendingOf(service, store), 'save', replacing);

      expect(kept).toEqual({ bell: 'draft of bell', gong: 'draft of gong' });
      expect(store.current().drafts).toEqual({ bell: 'post-1' });
    },
  );
});
