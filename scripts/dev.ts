/**
 * `npm run dev`: the service, and before it Vite, which serves the console from its sources and replaces modules in open
 * pages as they change. All other requests go to the service.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createServer, type Plugin } from 'vite';
import { APP_BASE, APP_ENTRY, consoleConfig, ROOT } from './console-vite.ts';
import { ensureBuilt } from './ensure-built.js';

// An empty value counts as not set, as for the service.
const DEV_PORT = Number(process.env['DEV_PORT'] || 5173);
const servicePort = process.env['PORT'] || '3000';
const service = `http://127.0.0.1:${servicePort}`;

// The page that the service sends names the built files; they are replaced below.
await ensureBuilt(ROOT, 'console');
const child = spawn(process.execPath, ['server/main.js'], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, PUBLIC_URL: process.env['PUBLIC_URL'] || `http://localhost:${DEV_PORT}` },
});
child.on('exit', (code) => process.exit(code ?? 0));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));

const { default: react } = await import('@vitejs/plugin-react');
const config = consoleConfig();
const vite = await createServer({
  ...config,
  logLevel: 'info',
  appType: 'custom',
  cacheDir: path.join(ROOT, '.cache/vite'),
  // All packages are prepared at the start, so that a view that is opened later does not reload the page.
  optimizeDeps: { entries: ['console/app/**/*.{ts,tsx}'] },
  plugins: [...(config.plugins ?? []), react(), pagesOfTheService()],
  server: { port: DEV_PORT, strictPort: true, proxy: { [`^/(?!${APP_BASE.slice(1)})`]: { target: service } } },
});
await vite.listen();
process.stdout.write(`carillon: the console is at http://localhost:${DEV_PORT}, the service at ${service}\n`);

/** Sends the pages of the app with the sources in place of the built files, and without the policy that forbids it. */
function pagesOfTheService(): Plugin {
  return {
    name: 'carillon:pages',
    configureServer: ({ middlewares }) => {
      middlewares.use(async (request, response, next) => {
        const { url = '/', headers, method } = request;
        if (method !== 'GET' || !headers.accept?.includes('text/html')) return next();
        try {
          const { cookie } = headers;
          const page = await fetch(service + url, {
            redirect: 'manual',
            headers: cookie === undefined ? {} : { cookie },
          });
          const text = await page.text();
          if (!text.includes(APP_BASE)) return next();
          response.setHeader('content-type', 'text/html; charset=utf-8');
          response.end(withSources(text));
        } catch (error) {
          next(error);
        }
      });
    },
  };
}

/** What plugin-react expects before any component is loaded. */
const REFRESH = `<script type="module">
  import { injectIntoGlobalHook } from '${APP_BASE}@react-refresh';
  injectIntoGlobalHook(window);
  window.$RefreshReg$ = () => {};
  window.$RefreshSig$ = () => (type) => type;
</script>
<script type="module" src="${APP_BASE}@vite/client"></script>`;

function withSources(text: string): string {
  return text
    .replaceAll(/<link rel="(?:stylesheet|modulepreload)" href="\/assets\/app\/[^>]*>/g, '')
    .replace(/<script type="module" src="\/assets\/app\/[^"]*"/, (tag) => `${REFRESH}\n${tag}`)
    .replace(/src="\/assets\/app\/files\/[^"]*"/, `src="${APP_BASE}${APP_ENTRY}"`);
}
