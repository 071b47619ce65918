/** Lists the shortcuts that work at the moment, and switches those of single keys on and off. */
import { useState } from 'react';
import { Heading } from 'react-aria-components/Heading';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/checkbox.tsx';
import { Sheet } from './sheet.tsx';
import { areSingleKeysOn, listShortcuts, setSingleKeys } from './shortcuts.ts';

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function ShortcutList({ onClose }: { onClose(): void }) {
  const [shortcuts] = useState(listShortcuts);
  const groups = [...new Set(shortcuts.map(({ group }) => group))];
  const [isOn, setOn] = useState(areSingleKeysOn());
  const change = (on: boolean) => {
    setSingleKeys(on);
    setOn(on);
  };
  return (
    <Sheet label="Shortcuts" place="middle" onClose={onClose}>
      <Heading slot="title">Shortcuts</Heading>
      {groups.map((group) => (
        <section key={group}>
          <h3>{group}</h3>
          <dl className="shortcuts">
            {shortcuts
              .filter((shortcut) => shortcut.group === group)
              .map(({ keys, label }) => (
                <div key={keys}>
                  <dt>
                    <Keys keys={keys} />
                  </dt>
                  <dd>{label}</dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
      <Checkbox isSelected={isOn} onChange={change}>
        Shortcuts without Ctrl or Cmd
      </Checkbox>
      <div className="actions">
        <Button look="primary" onPress={onClose}>
          Close
        </Button>
      </div>
    </Sheet>
  );
}

function Keys({ keys }: { keys: string }) {
  const isMac = navigator.platform.startsWith('Mac');
  const parts = keys.startsWith('mod+') ? [isMac ? '⌘' : 'Ctrl', keys.slice(4).toUpperCase()] : keys.split(' ');
  return (
    <>
      {parts.map((part) => (
        <kbd key={part}>{part}</kbd>
      ))}
    </>
  );
}
