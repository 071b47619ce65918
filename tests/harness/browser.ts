/** A minimal browser: it keeps cookies, follows links, fills in forms and never runs a script. */
import { PUBLIC_URL, type World } from './world.ts';

export interface BrowserPage {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The redirect address, when it is a redirect. */
  readonly location: string | null;
}

export interface Browser {
  get(path: string, headers?: Record<string, string>): Promise<BrowserPage>;
  head(path: string): Promise<BrowserPage>;
  post(path: string, fields: Readonly<Record<string, string>>, headers?: Record<string, string>): Promise<BrowserPage>;
  /** Presses the button with this name on a page, after filling in the fields of its form by label. */
  press(page: BrowserPage, button: string, typed?: Readonly<Record<string, string>>): Promise<BrowserPage>;
  /** The form data that it would send, by name. */
  readonly cookies: Map<string, string>;
  /** Every Set-Cookie header it received. */
  readonly setCookies: string[];
}

/** @param install the address it listens at; a world, or the product as a process */
export function openBrowser(install: Pick<World, 'url'>): Browser {
  const cookies = new Map<string, string>();
  const setCookies: string[] = [];

  async function send(method: string, path: string, headers: Record<string, string>, body?: string) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const local = path.replace(install.url, '').replace(PUBLIC_URL, '');
    const response = await fetch(install.url + local, {
      method,
      redirect: 'manual',
      headers: { ...(cookie !== '' && { cookie }), ...headers },
      ...(body !== undefined && { body }),
    });
    for (const set of response.headers.getSetCookie()) {
      setCookies.push(set);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, location: response.headers.get('location') };
  }

  const post: Browser['post'] = (path, fields, headers = {}) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return send('POST', path, { ...type, ...headers }, new URLSearchParams(fields).toString());
  };

  return {
    cookies,
    setCookies,
    get: (path, headers = {}) => send('GET', path, headers),
    head: (path) => send('HEAD', path, {}),
    post,
    press: (page, button, typed = {}) => {
      const { action, fields } = fillIn(page.text, button, typed);
      return post(action, fields);
    },
  };
}

/** The request that a browser sends when a button is pressed. */
function fillIn(text: string, button: string, typed: Readonly<Record<string, string>>) {
  const forms = text.split('<form ').slice(1);
  const pressed = new RegExp(`<button ([^>]*)>\\s*${RegExp.escape(button)}\\s*</button>`);
  const form = forms.find((candidate) => pressed.test(candidate.split('</form>')[0] ?? ''));
  if (form === undefined) throw new Error(`no button is called ${button} on:\n${text}`);
  const [inside = ''] = form.split('</form>');
  const fields: Record<string, string> = {};
  for (const [input] of inside.matchAll(/<input\b[^>]*>/g)) {
    const isUnticked = attribute(input, 'type') === 'checkbox' && !/\bchecked\b/.test(input);
    if (!isUnticked) fields[attribute(input, 'name')] = attribute(input, 'value');
  }
  for (const [label, value] of Object.entries(typed)) {
    const id = new RegExp(`<label for="([^"]+)">${RegExp.escape(label)}</label>`).exec(inside)?.[1];
    if (id === undefined) throw new Error(`no field is called ${label} on:\n${text}`);
    // An empty value unticks a box.
    if (value === '') delete fields[id];
    else fields[id] = value;
  }
  const [, attributes = ''] = pressed.exec(inside) ?? [];
  if (attribute(attributes, 'name') !== '') fields[attribute(attributes, 'name')] = attribute(attributes, 'value');
  return { action: attribute(inside, 'action'), fields };
}

/** The characters that pages escape. */
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function attribute(tag: string, name: string): string {
  const written = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  return written.replace(/&(amp|lt|gt|quot|#39);/g, (_all, entity: string) => ENTITIES[entity] ?? '');
}
