/** The dialog that moves a queued post. */
import { Heading } from 'react-aria-components/Heading';
import { Sheet } from '../../shell/sheet.tsx';
import { Button } from '../../ui/button.tsx';
import { MoveForm, type MoveFormProps } from './move-form.tsx';

export interface MoveSheetProps extends Omit<MoveFormProps, 'post'> {
  /** Undefined when the post has left the queue while the dialog is open. */
  readonly post: MoveFormProps['post'] | undefined;
  readonly text: string;
  onClose(): void;
}

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function MoveSheet({ post, text, onClose, ...form }: MoveSheetProps) {
  return (
    <Sheet label="Move the post" place="middle" onClose={onClose}>
      <Heading slot="title">Move the post</Heading>
      <p className="one-line" dir="auto">
        {text}
      </p>
      {post === undefined ? (
        <>
          <p role="status">The post has left the queue: it was sent, cancelled or moved meanwhile.</p>
          <div className="actions">
            <Button slot="close">Close</Button>
          </div>
        </>
      ) : (
        <MoveForm {...form} post={post} />
      )}
    </Sheet>
  );
}
