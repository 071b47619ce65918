/** What Compose does around a send: it sends the text that was shown, and keeps what is written meanwhile. */
import { describe, expect, it } from 'vitest';
import { newComposition } from '../../../console/app/views/compose/composition.ts';
import { sendComposition } from '../../../console/app/views/compose/send-composition.ts';
import { BELL, fakeService, newStore, sendingOf, write } from './compose-world.ts';

/** A send of the shown text whose answers are held back. */
function sendHeld() {
  const service = fakeService();
  const store = newStore();
  const { id } = write(store);
  const arrive = service.hold();
  const directory = { connections: [BELL], platforms: new Map() };
  const sent = sendComposition(sendingOf(service, store), directory, () => undefined);
  return {
    service,
    store,
    id,
    arrive,
    sent,
    texts: () => [store.current(), ...store.others()].map(({ text }) => text),
  };
}

describe('a send that succeeds', () => {
  it('leaves nothing of the text that went out', async () => {
    const { arrive, sent, texts } = sendHeld();
    arrive();
    await sent;

    expect(texts()).toEqual(['']);
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

it('a text that is discarded before its send begins is not sent', async () => {
  const { store, id, service, arrive, sent } = sendHeld();
  store.forget(id);
  arrive();
  await sent;

  expect(service.posts).toEqual([]);
});
