/** How requests are told apart: by the machine that makes them, and by the credential that they present. */
import type { Credentials } from '../mcp/admit.ts';
import type { ResourceName } from '../services/oauth/addresses.ts';
import { clientAddresses, type ClientAddresses } from './client-address.ts';
import { machineTime } from './clocks.ts';
import { createAuthorizationServer } from './oauth/authorization-server.ts';
import { presentedKey } from './presented-key.ts';
import type { Runtime } from './runtime.ts';

export interface Access {
  readonly addresses: ClientAddresses;
  readonly authorizationServer: ReturnType<typeof createAuthorizationServer>;
  /** The keys, and the access tokens for these resources. */
  readonly credentials: (...resources: ResourceName[]) => Credentials;
}

export function createAccess(context: Runtime): Access {
  const authorizationServer = createAuthorizationServer(context, machineTime);
  return {
    addresses: clientAddresses(context.config),
    authorizationServer,
    credentials: (...resources) => ({
      presentedKey,
      checkAccessToken: (token) => authorizationServer.checkAccessToken(token, resources),
    }),
  };
}
