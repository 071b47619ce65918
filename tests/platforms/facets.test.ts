import { describe, expect, it } from 'vitest';
import { findEntities, toFacets } from '../../platforms/bluesky/facets.ts';

/** The candidates that were found: the text that each covers and its value. */
function found(text: string): [string, string][] {
  const bytes = Buffer.from(text);
  return findEntities(text).map((entity) => {
    const covered = bytes.subarray(entity.index.byteStart, entity.index.byteEnd).toString();
    switch (entity.kind) {
      case 'link':
        return [covered, entity.uri];
      case 'mention':
        return [covered, `@${entity.handle}`];
      case 'tag':
        return [covered, `#${entity.tag}`];
    }
  });
}

const same = (...texts: string[]): [string, string][] => texts.map((text) => [text, text]);

describe('links', () => {
  it.each<[string, [string, string][]]>([
    ['see https://example.com', same('https://example.com')],
    ['see https://example.com.', same('https://example.com')],
    ['https://example.com/a?b=1&c=2#d, and', same('https://example.com/a?b=1&c=2#d')],
    ['really https://example.com/?!', same('https://example.com/')],
    ['(https://example.com/a)', same('https://example.com/a')],
    ['https://en.wikipedia.org/wiki/Bell_(instrument)', same('https://en.wikipedia.org/wiki/Bell_(instrument)')],
    ['(see https://en.wikipedia.org/wiki/Bell_(instrument).)', same('https://en.wikipedia.org/wiki/Bell_(instrument)')],
    ['"https://example.com/q"', same('https://example.com/q')],
    ['<https://example.com/q>', same('https://example.com/q')],
    ['詳細はhttps://example.com/日本。', same('https://example.com/日本')],
    ['http://localhost:3000/x', same('http://localhost:3000/x')],
    ['https://a.example/one https://a.example/two', same('https://a.example/one', 'https://a.example/two')],
    ['https://', []],
    // Bluesky refuses a post with such an address.
    ['see https:///bells.example today', []],
    ['xhttps://example.com', []],
    ['ftp://example.com/file', []],
  ])('finds those of %j', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it.each<[string, [string, string][]]>([
    ['example.com', [['example.com', 'https://example.com']]],
    ['Go to Example.com/path?x=1.', [['Example.com/path?x=1', 'https://Example.com/path?x=1']]],
    ['(docs.example.org)', [['docs.example.org', 'https://docs.example.org']]],
    ['example.com:8080/x', [['example.com:8080/x', 'https://example.com:8080/x']]],
    ['node.js and main.ts', []],
    ['the end.No space', []],
    ['me@example.com', []],
    ['example.community', []],
    ['example.com.evil', []],
  ])('finds URLs without a scheme in %j', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });
});

describe('mentions', () => {
  it.each<[string, [string, string][]]>([
    ['hi @alice.test', same('@alice.test')],
    ['hi @alice.test.', same('@alice.test')],
    ['(@alice.test)', same('@alice.test')],
    ["@alice.test's bell", same('@alice.test')],
    ['@Alice.Test', [['@Alice.Test', '@alice.test']]],
    ['@alice.bsky.social, @bob.test', same('@alice.bsky.social', '@bob.test')],
    ['@alice', []],
    ['me@alice.test', []],
    ['@alice@social.example', []],
    ['@alice.test@social.example', []],
    ['@-alice.test', []],
    ['@alice.1', []],
    [`@${'a.'.repeat(130)}test`, []],
  ])('finds those of %j', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });
});

describe('hashtags', () => {
  it.each<[string, [string, string][]]>([
    ['#bells', same('#bells')],
    ['ring the #bells!', same('#bells')],
    ['#one #two', same('#one', '#two')],
    ['(#bells)', same('#bells')],
    ['#Größe', same('#Größe')],
    ['#日本語', same('#日本語')],
    ['＃bells', [['＃bells', '#bells']]],
    ['#a1', same('#a1')],
    ['#🎉', same('#🎉')],
    ['#1', []],
    ['#', []],
    ['#!?', []],
    ['#\ufe0f\u20e3 keycap', []],
    ['a#b', []],
  ])('finds those of %j', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it('leaves a hashtag of more than 64 graphemes plain', () => {
    expect(found(`#${'é'.repeat(64)}`)).toEqual(same(`#${'é'.repeat(64)}`));
    expect(found(`#${'é'.repeat(65)}`)).toEqual([]);
  });

  it('leaves a hashtag of more than 640 bytes plain', () => {
    expect(found(`#${'👨‍👩‍👧‍👦'.repeat(26)}`)).toEqual([]);
  });

  it('does not tag what is inside a link', () => {
    expect(found('https://example.com/#section and https://example.com/(#x')).toEqual(
      same('https://example.com/#section', 'https://example.com/(#x'),
    );
  });
});

describe('offsets', () => {
  it('count UTF-8 bytes after accents, emoji and letters outside the BMP', () => {
    const text = 'é 🎉 👨‍👩‍👧‍👦 𝒳 #tag https://example.com @bob.test';

    expect(findEntities(text)).toEqual([
      { kind: 'tag', index: { byteStart: 39, byteEnd: 43 }, tag: 'tag' },
      { kind: 'link', index: { byteStart: 44, byteEnd: 63 }, uri: 'https://example.com' },
      { kind: 'mention', index: { byteStart: 64, byteEnd: 73 }, handle: 'bob.test' },
    ]);
  });

  it('measure the covered text in bytes too', () => {
    expect(findEntities('＃größe')).toEqual([{ kind: 'tag', index: { byteStart: 0, byteEnd: 10 }, tag: 'größe' }]);
  });
});

describe('toFacets', () => {
  it('names each kind as records do and omits mentions of unknown handles', () => {
    const entities = findEntities('@bob.test @nobody.test #tag example.com/x');

    expect(toFacets(entities, new Map([['bob.test', 'did:plc:bob']]))).toEqual([
      {
        index: { byteStart: 0, byteEnd: 9 },
        features: [{ $type: 'app.bsky.richtext.facet#mention', did: 'did:plc:bob' }],
      },
      { index: { byteStart: 23, byteEnd: 27 }, features: [{ $type: 'app.bsky.richtext.facet#tag', tag: 'tag' }] },
      {
        index: { byteStart: 28, byteEnd: 41 },
        features: [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://example.com/x' }],
      },
    ]);
  });
});
