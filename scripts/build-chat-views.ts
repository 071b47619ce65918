/** Builds the views for chats: each a page in one file, whose policy allows its own script and style and no network. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Rolldown } from 'vite';
import { CHAT_VIEWS } from '../mcp/views.ts';
import { consoleConfig, ROOT } from './console-vite.ts';

/** @param folder the pages are written to; created when it is missing. @returns the size of each view in bytes */
export async function buildChatViews(folder: string): Promise<Map<string, number>> {
  mkdirSync(folder, { recursive: true });
  const sizes = new Map<string, number>();
  for (const { name, title } of CHAT_VIEWS) {
    const { script, style } = await bundle(path.join(ROOT, 'console/app/chat', name, 'main.tsx'));
    const page = pageOf(title, script, style);
    writeFileSync(path.join(folder, `${name}.html`), page);
    sizes.set(name, Buffer.byteLength(page));
  }
  return sizes;
}

async function bundle(input: string): Promise<{ script: string; style: string }> {
  const built = (await build({
    ...consoleConfig(),
    build: {
      write: false,
      target: 'es2023',
      cssCodeSplit: false,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input,
        output: { format: 'iife', codeSplitting: false },
        // "use client" means nothing here.
        onLog: (level, log, pass) => log.code === 'MODULE_LEVEL_DIRECTIVE' || pass(level, log),
      },
    },
  })) as Rolldown.RolldownOutput;
  const scripts = built.output.flatMap((file) => (file.type === 'chunk' ? [file.code] : []));
  const styles = built.output.flatMap((file) =>
    file.type === 'asset' && file.fileName.endsWith('.css') ? [String(file.source)] : [],
  );
  const [script = ''] = scripts;
  const [style = ''] = styles;
  if (scripts.length !== 1 || styles.length !== 1 || built.output.length !== 2)
    throw new Error(`${input} was built into ${built.output.map(({ fileName }) => fileName).join(', ')}`);
  return { script: script.trim(), style: style.trim() };
}

function pageOf(title: string, script: string, style: string): string {
  // In a script these mean the same, and end no element.
  const inline = script.replaceAll(/<(?=\/script|script|!--)/gi, String.raw`\x3C`);
  if (/<\/style/i.test(style)) throw new Error('A style would end its element.');
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(inline)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script>${inline}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
