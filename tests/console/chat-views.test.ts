/** The pages of the views for chats: one file each, small, and with a policy that allows nothing but that file. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHAT_VIEWS } from '../../mcp/views.ts';

const FOLDER = join(import.meta.dirname, '../../console/dist/chat');

/** Largest page, which a host loads whole and uncompressed. React takes about 190,000 bytes of it. */
const BUDGET_BYTES = 250_000;

describe.each(CHAT_VIEWS)('the view $name', ({ name, title }) => {
  const page = readFileSync(join(FOLDER, `${name}.html`), 'utf8');
  const inside = (element: string) => new RegExp(`<${element}>([^]*?)</${element}>`).exec(page)?.[1] ?? '';
  const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

  it('stays within the budget', () => {
    expect(Buffer.byteLength(page)).toBeLessThan(BUDGET_BYTES);
  });

  it('allows its own script and style, no network, and no markup from strings', () => {
    const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)?.[1];

    expect(policy?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hashOf(inside('script'))}`,
      `style-src ${hashOf(inside('style'))}`,
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
  });

  it('is one titled page with one script and one style, which name no other file', () => {
    expect(inside('title')).toBe(title);
    expect(page.match(/<script\b/g)).toHaveLength(1);
    expect(page.match(/<style\b/g)).toHaveLength(1);
    expect(page.replace(inside('script'), '')).not.toMatch(/\b(src|href)=|url\(|@import/);
    expect(inside('script')).not.toMatch(/\bimport\(|\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon/);
  });

  it('is built for production', () => {
    expect(inside('script')).not.toContain('react.dev/link/hydration-mismatch');
    expect(inside('script')).not.toMatch(/\beval\(|new Function\(/);
  });
});
