/** HTML as values: a template that escapes every interpolation, so that no page can omit escaping. */

/** Markup that is safe to insert into a page; {@link html} creates it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Values of a template. Strings and numbers are escaped; null, undefined and false render nothing. */
export type HtmlValue = string | number | Html | readonly HtmlValue[] | null | undefined | false;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for use between tags and inside quoted attributes only. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** Builds markup: html`<p title="${title}">${text}</p>`. Attributes with interpolations must be quoted. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(strings.reduce((made, part, index) => `${made}${render(values[index - 1])}${part}`));
}

function render(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return escapeHtml(String(value));
}
