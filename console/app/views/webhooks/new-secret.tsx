/** The secret of a webhook, which the service shows once: after it was made, and after a rotation. */
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';

export interface NewSecretProps {
  readonly secret: string;
  /** Until when deliveries are signed with the secret before it too; null when there is none. */
  readonly previousUntil: string | null;
  onClose(): void;
}

export function NewSecret({ secret, previousUntil, onClose }: NewSecretProps) {
  return (
    <Panel title="New secret">
      <p>Store it in the program that receives the events, which checks their signatures with it.</p>
      {previousUntil !== null && (
        <p>
          Deliveries are signed with the previous secret too. It ends <Moment at={previousUntil} />.
        </p>
      )}
      <CopyField label="Secret" value={secret} hint="It is shown this once. If it is lost, rotate it." />
      <Button onPress={onClose}>I have stored it</Button>
    </Panel>
  );
}
