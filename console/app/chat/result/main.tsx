/** Starts the result of a send. */
import { mountChatView } from '../mount.tsx';
import { ResultView } from './result-view.tsx';

mountChatView('result', ResultView);
