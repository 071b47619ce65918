/** What a task of the suite is: what a person asks of an agent, how a careful reader does it, and how to tell that it is done. */
import type { PlatformId } from '../../platforms/registry.ts';
import type { Reader } from './reader.ts';
import type { Scene } from './scene.ts';

export interface Task {
  /** Names the task in reports. */
  readonly id: string;
  /** Path of the endpoint, `/mcp` by default. */
  readonly path?: string;
  /** Platforms with a connection, whose slug is the platform’s id. The sandbox by default. */
  readonly connections?: readonly PlatformId[];
  /** What exists before. Returns values that `ask` needs, such as addresses. */
  readonly arrange?: (scene: Scene) => Promise<Values | void>;
  /** What the person writes. */
  readonly ask: string | ((values: Values) => string);
  /** How a careful reader does it, only from what it read. Returns what it tells the person. */
  readonly solve: (reader: Reader, values: Values) => Promise<string | void>;
  /** Throws unless the state, or what the person was reply, is what was asked for. */
  readonly check: (scene: Scene, reply: string, values: Values) => Promise<void> | void;
}

export type Values = Readonly<Record<string, string>>;
