/** Starts the metrics of a post. */
import { mountChatView } from '../mount.tsx';
import { MetricsView } from './metrics-view.tsx';

mountChatView('metrics', MetricsView);
