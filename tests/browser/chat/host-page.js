/** The page of a chat host: a sandboxed frame with a view, and the extension's own bridge to it. Runs in the browser. */
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

const log = { links: [], sizes: [], initialized: 0 };

/** The capabilities that a host may have. */
const CAPABILITIES = { serverTools: {}, openLinks: {} };

let bridge;

globalThis.hostLog = log;

/** Shows a view that is served at an address, and what its tool was called with. */
globalThis.showView = async ({ address, context, without = [] }) => {
  const capabilities = Object.fromEntries(Object.entries(CAPABILITIES).filter(([name]) => !without.includes(name)));
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts';
  frame.title = 'View';
  document.body.append(frame);
  bridge = new AppBridge(null, { name: 'tests', version: '1' }, capabilities, { hostContext: context });
  bridge.oncalltool = ({ name, arguments: input }) => globalThis.callTool(name, input ?? {});
  bridge.onopenlink = async ({ url }) => {
    log.links.push(url);
    return {};
  };
  bridge.addEventListener('sizechange', (size) => {
    log.sizes.push(size);
    frame.style.height = `${size.height}px`;
  });
  const ready = new Promise((resolve) => {
    bridge.addEventListener('initialized', () => {
      log.initialized += 1;
      resolve();
    });
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = address;
  await ready;
  return bridge.getAppVersion();
};

globalThis.sendInput = (input) => bridge.sendToolInput({ arguments: input });
globalThis.sendResult = (result) => bridge.sendToolResult(result);
globalThis.sendCancelled = () => bridge.sendToolCancelled({ reason: 'the user stopped it' });
globalThis.setContext = (context) => bridge.setHostContext(context);
globalThis.teardown = () => bridge.teardownResource({});
