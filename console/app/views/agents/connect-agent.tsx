/** How to connect an agent: the address of MCP, and the command for clients that have one. */
import { CopyField } from '../../ui/copy-field.tsx';
import { Panel } from '../../ui/panel.tsx';

export function ConnectAgent({ mcpUrl }: { mcpUrl: string }) {
  return (
    <Panel title="Connect an agent">
      <p>
        Give an MCP client this address. It opens a page here on which you sign in and choose what it may do. Programs
        without a browser send an API key instead.
      </p>
      <CopyField label="MCP address" value={mcpUrl} focusesCopy={false} />
      <p className="hint">
        This address has the tools for writing and sending posts. <code>{mcpUrl}/readonly</code> changes nothing, and{' '}
        <code>{mcpUrl}/all</code> has all tools but those for keys.
      </p>
    </Panel>
  );
}
