/**
 * The script of the API reference: Scalar as one file without dependencies. Scalar publishes that file in two packages. The
 * one named after it brings 200 MB of packages that only a build of Scalar needs, so it is taken from the plugin for Fastify,
 * by asking the plugin for its routes (docs/decisions/0088-install-only-what-runs.md).
 */

interface Route {
  readonly url: string;
  readonly handler: (request: unknown, reply: Reply) => unknown;
}

interface Reply {
  header(name: string, value: string): Reply;
  send(body: string): unknown;
}

/** What the plugin uses of Fastify. */
interface Host {
  readonly initialConfig: object;
  hasPlugin(name: string): boolean;
  route(route: Route): void;
}

type Plugin = (host: Host, options: object, done: () => void) => void;

/** @throws Error when the plugin serves no script, which an update of the package may cause */
export async function readReferenceScript(): Promise<string> {
  const { default: plugin } = (await import('@scalar/fastify-api-reference')) as unknown as { default: Plugin };
  const routes: Route[] = [];
  const host: Host = { initialConfig: {}, hasPlugin: () => false, route: (route) => routes.push(route) };
  plugin(host, { routePrefix: '/', configuration: { url: '/' } }, () => undefined);
  const route = routes.find(({ url }) => url.endsWith('.js'));
  let script: string | undefined;
  const reply: Reply = {
    header: () => reply,
    send: (body) => {
      script = body;
    },
  };
  await route?.handler({}, reply);
  if (script === undefined) throw new Error('@scalar/fastify-api-reference serves no script');
  return script;
}
