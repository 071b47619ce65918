/** How Vite builds and serves the console, for scripts/build-console.ts and scripts/dev.ts. */
import path from 'node:path';
import type { InlineConfig, Plugin } from 'vite';

export const ROOT = path.join(import.meta.dirname, '..');

/** Where the app is served. */
export const APP_BASE = '/assets/app/';

/** The module that starts the app. */
export const APP_ENTRY = 'console/app/main.tsx';

export function consoleConfig(): InlineConfig {
  return {
    configFile: false,
    root: ROOT,
    base: APP_BASE,
    publicDir: false,
    logLevel: 'warn',
    plugins: [onlyEnglish()],
  };
}

/** React Aria brings its texts in 34 languages; the console speaks English. */
function onlyEnglish(): Plugin {
  const other = /[\\/]intl[\\/][\w-]+[\\/](?!en-US)[a-z]{2}-[A-Z]{2}\.m?js$/;
  return {
    name: 'carillon:only-english',
    enforce: 'pre',
    load: { filter: { id: other }, handler: () => 'export default {};' },
  };
}
