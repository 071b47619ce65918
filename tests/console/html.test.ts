/** The HTML template of the pages: inserted values can never become markup. */
import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeHtml, html } from '../../console/html.ts';

describe('html', () => {
  it('escapes values between tags and in attributes', () => {
    const hostile = `"><script>alert('1')</script>&amp;`;

    const made = html`<p title="${hostile}">${hostile}</p>`.text;

    const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;';
    expect(made).toBe(`<p title="${escaped}">${escaped}</p>`);
  });

  it('keeps markup that it created itself, alone and in lists', () => {
    const items = ['a', '<b>'].map((name) => html`<i>${name}</i>`);

    expect(html`<b>${items}</b>${html`<br />`}`.text).toBe('<b><i>a</i><i>&lt;b&gt;</i></b><br />');
  });

  it('renders nothing for null, undefined and false, and shows zero', () => {
    expect(html`[${null}${undefined}${false}${0}]`.text).toBe('[0]');
  });

  it('lets no text open a tag or end an attribute', () => {
    const dangerous = /[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/;

    assert(property(string({ unit: 'binary' }), (text) => !dangerous.test(html`${text}`.text)));
  });

  it('escapes so that the text can be decoded unchanged', () => {
    const read = (escaped: string) =>
      escaped
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&');

    assert(property(string(), (text) => read(escapeHtml(text)) === text));
  });
});
