/** State that the parts of the console share after sign-in or with an API key. */
import type { Api, Connection, Platform } from './api.ts';

export class Workspace {
  readonly api: Api;
  /** Platforms of the install, by id. */
  readonly platforms: ReadonlyMap<string, Platform>;
  connections: readonly Connection[];

  constructor(api: Api, platforms: readonly Platform[], connections: readonly Connection[]) {
    this.api = api;
    this.platforms = new Map(platforms.map((platform) => [platform.id, platform]));
    this.connections = connections;
  }

  /** Reloads the connections. */
  async readConnections(): Promise<void> {
    const { connections } = await this.api.query('connections', 'list', {});
    this.connections = connections;
  }

  /** Returns the platform's display name. */
  platformName(platformId: string): string {
    return this.platforms.get(platformId)?.name ?? platformId;
  }

  /** Describes a connection in a few words. */
  describe({ platformId, description }: Connection): string {
    const name = this.platformName(platformId);
    return description.startsWith(name) ? description : [name, description].filter((word) => word !== '').join(', ');
  }
}
