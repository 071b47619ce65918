/** Operations on the manual clock. */
import { router } from '../procedures.ts';
import { advanceClock } from './advance-clock.ts';
import { getClock } from './get-clock.ts';

export const simulationRouter = router({ clock: getClock, advance: advanceClock });
