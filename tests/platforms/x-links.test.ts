import { describe, expect, it } from 'vitest';
import { findLinks, hasLink } from '../../platforms/x/links.ts';

const linksOf = (text: string) => findLinks(text).map(({ start, end }) => text.slice(start, end));

describe('findLinks', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['no link here.', []],
    ['see example.com now', ['example.com']],
    ['EXAMPLE.COM and HTTPS://Example.Org/Path', ['EXAMPLE.COM', 'HTTPS://Example.Org/Path']],
    ['https://example.com.', ['https://example.com']],
    ['(https://example.com)', ['https://example.com']],
    ['"https://example.com/a", and “example.org”', ['https://example.com/a', 'example.org']],
    ['https://a.io,https://b.io', ['https://a.io', 'https://b.io']],
    ['a.com,b.com', ['a.com', 'b.com']],
    ['a.co.uk', ['a.co.uk']],
    ['readme.md but not node.js', ['readme.md']],
    ['e.g. 3.14 and 1.2.3.4 and v1.0', []],
    ['https://localhost/ http://1.2.3.4/x', []],
    ['a.notatld http://a.notatld', []],
    ['alice@example.com mailto:a@b.com @a.com #tag.com $x.com', []],
    ['ftp://a.com //a.com xhttp://a.com -a.com a_b.com', []],
    ['http://-a.com http://a-.com http://a..com', []],
    ['a.com..b.net', ['a.com']],
    ['a.com-b a.com@b a.com+b a.com_b', ['a.com']],
    ['https://sub_domain.example.com https://a.b_c.com', ['https://sub_domain.example.com']],
    ['http://a.com/wiki/Bell_(instrument)', ['http://a.com/wiki/Bell_(instrument)']],
    ['http://a.com/((a)b) http://a.com/(a', ['http://a.com/((a)b)', 'http://a.com/']],
    ['http://a.com?x=1&y=(2). http://a.com/?', ['http://a.com?x=1&y=(2', 'http://a.com/']],
    ['a.com?x=1 a.com:80 a.com:80/x?y=1', ['a.com', 'a.com', 'a.com:80/x?y=1']],
    ['https://a.com#part https://a.com/#part', ['https://a.com', 'https://a.com/#part']],
    ['https://a.com/@alice/1', ['https://a.com/@alice/1']],
    ['http://例え.com 例え.com', ['http://例え.com']],
    ['http://пример.рф/путь пример.рф', ['http://пример.рф/путь']],
    ['http://xn--e1afmkfd.xn--p1ai/', ['http://xn--e1afmkfd.xn--p1ai/']],
    ['これ。example.com/path中国語example.com한국', ['example.com/path', 'example.com']],
    ['http://a.com/これexample.org', ['http://a.com/', 'example.org']],
    ['mañana.com', ['mañana.com']],
    ['🔔example.com🔔', ['example.com']],
    [`http://${'a'.repeat(64)}.com`, []],
    [`http://a.com/${'a'.repeat(4096)}`, []],
  ])('finds in %j', (text, links) => {
    expect(linksOf(text)).toEqual(links);
  });

  // A search that restarts at every piece exceeds the time limit of a test.
  it.each(['a.', 'a.com,', 'http://', '(a', 'a_.com.', 'a.日', 'xn--'])('reads a text of many %j once', (piece) => {
    const [first] = linksOf(`http://a.com/ ${piece.repeat(20_000)}`);

    expect(first).toBe('http://a.com/');
  });
});

describe('hasLink', () => {
  it.each([
    ['see example.com', true],
    ['see https://example.com/a', true],
    ['man\u0303ana.com', true],
    ['see example', false],
  ])('of %j is %s', (text, expected) => {
    expect(hasLink(text)).toBe(expected);
  });
});
