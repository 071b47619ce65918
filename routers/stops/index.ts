/** Operations on stops. */
import { router } from '../procedures.ts';
import { listStops } from './list-stops.ts';
import { releaseStop } from './release-stop.ts';
import { stopSending } from './stop-sending.ts';

export const stopsRouter = router({
  start: stopSending,
  list: listStops,
  release: releaseStop,
});
