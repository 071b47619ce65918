/** Operations on platforms. */
import { router } from '../procedures.ts';
import { listPlatforms } from './list-platforms.ts';

export const platformsRouter = router({ list: listPlatforms });
