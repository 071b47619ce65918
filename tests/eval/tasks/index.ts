/** All tasks of the suite. */
import type { Task } from '../task.ts';
import { drafting } from './drafting.ts';
import { managing } from './managing.ts';
import { publishing } from './publishing.ts';
import { queueing } from './queueing.ts';
import { reading } from './reading.ts';
import { repairing } from './repairing.ts';
import { scheduling } from './scheduling.ts';
import { supervised } from './supervised.ts';
import { threadsAndImages } from './threads-and-images.ts';

export const tasks: readonly Task[] = [
  ...publishing,
  ...scheduling,
  ...queueing,
  ...threadsAndImages,
  ...drafting,
  ...repairing,
  ...reading,
  ...managing,
  ...supervised,
];
