/** The dialog that moves a queued post. */
import { Heading } from 'react-aria-components/Heading';
import { Sheet } from '../../shell/sheet.tsx';
import { MoveForm, type MoveFormProps } from './move-form.tsx';

export interface MoveSheetProps extends MoveFormProps {
  readonly text: string;
  onClose(): void;
}

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function MoveSheet({ text, onClose, ...form }: MoveSheetProps) {
  return (
    <Sheet label="Move the post" place="middle" onClose={onClose}>
      <Heading slot="title">Move the post</Heading>
      <p className="one-line" dir="auto">
        {text}
      </p>
      <MoveForm {...form} />
    </Sheet>
  );
}
