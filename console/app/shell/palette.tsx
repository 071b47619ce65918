/** The command palette: type to find a view or an action, Enter goes there. */
import { useNavigate } from '@tanstack/react-router';
import { Autocomplete, useFilter } from 'react-aria-components/Autocomplete';
import { Input } from 'react-aria-components/Input';
import { Menu, MenuItem } from 'react-aria-components/Menu';
import { SearchField } from 'react-aria-components/SearchField';
import type { Icon } from '../ui/icon.tsx';
import { Keyboard, Palette } from '../ui/icons.tsx';
import { useNavigation } from './rights.tsx';
import { Sheet } from './sheet.tsx';

interface Command {
  readonly id: string;
  readonly label: string;
  readonly icon: Icon;
  run(): void;
}

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function CommandPalette({ onClose, onShowShortcuts }: { onClose(): void; onShowShortcuts(): void }) {
  const navigate = useNavigate();
  const navigation = useNavigation();
  const { contains } = useFilter({ sensitivity: 'base' });
  const commands: Command[] = [
    ...navigation.map((entry) => ({
      id: entry.label,
      label: entry.label,
      icon: entry.icon,
      run: () => ('href' in entry ? location.assign(entry.href) : void navigate({ to: entry.to })),
    })),
    { id: 'shortcuts', label: 'Shortcuts', icon: Keyboard, run: onShowShortcuts },
    { id: 'design', label: 'Design of the console', icon: Palette, run: () => void navigate({ to: '/design' }) },
  ];
  const run = (id: unknown) => {
    onClose();
    commands.find((command) => command.id === id)?.run();
  };
  return (
    <Sheet label="Go to a view or start an action" place="top" onClose={onClose}>
      <Autocomplete filter={contains}>
        <SearchField aria-label="Find a view or an action" autoFocus className="palette-search">
          <Input placeholder="Where to?" />
        </SearchField>
        <Menu
          aria-label="Views and actions"
          className="options"
          items={commands}
          onAction={run}
          renderEmptyState={() => <p className="hint">Nothing is called that.</p>}
        >
          {({ id, label, icon: Icon }) => (
            <MenuItem id={id} textValue={label} className="option">
              <Icon aria-hidden size={18} /> {label}
            </MenuItem>
          )}
        </Menu>
      </Autocomplete>
    </Sheet>
  );
}
