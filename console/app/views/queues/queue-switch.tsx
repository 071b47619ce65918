/** Whether the queue runs, with the button that pauses or resumes it. */
import { Button } from '../../ui/button.tsx';
import { Pause, Play } from '../../ui/icons.tsx';
import type { QueueChange } from './use-queue-change.ts';

export function QueueSwitch({ isPaused, change }: { isPaused: boolean; change: QueueChange }) {
  return (
    <div className="queue-switch">
      <span className={`badge badge-${isPaused ? 'wait' : 'good'}`}>{isPaused ? 'paused' : 'running'}</span>
      <Button onPress={() => change.setPaused(!isPaused)}>
        {isPaused ? <Play aria-hidden size={16} /> : <Pause aria-hidden size={16} />}
        {isPaused ? 'Resume the queue' : 'Pause the queue'}
      </Button>
    </div>
  );
}
