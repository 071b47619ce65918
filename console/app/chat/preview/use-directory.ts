/** The connections, which name the platform of a slug. Without them a preview has no layout of a platform. */
import { useEffect, useState } from 'react';
import type { Outputs } from '../../data/api-types.ts';
import { answerOf } from '../answer.ts';
import type { Host } from '../host.ts';

type Connection = Outputs['connections']['list']['connections'][number];

export function useDirectory(host: Host, canCallTools: boolean): readonly Connection[] {
  const [connections, setConnections] = useState<readonly Connection[]>([]);
  useEffect(() => {
    if (!canCallTools) return;
    const read = async () => {
      const answer = answerOf(await host.callTool('list_connections', {}));
      setConnections((answer as Outputs['connections']['list'] | null)?.connections ?? []);
    };
    // The preview is readable without them.
    read().catch(() => undefined);
  }, [host, canCallTools]);
  return connections;
}
