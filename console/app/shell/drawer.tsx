/** All of the navigation, on phones. */
import { Button } from '../ui/button.tsx';
import { X } from '../ui/icons.tsx';
import { AccountMenu } from './account-menu.tsx';
import { NavigationLink } from './navigation-links.tsx';
import { useNavigation } from './rights.tsx';
import { Sheet } from './sheet.tsx';

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function Drawer({ onClose }: { onClose(): void }) {
  const navigation = useNavigation();
  return (
    <Sheet label="All views" place="side" onClose={onClose}>
      <Button look="icon" aria-label="Close" onPress={onClose}>
        <X aria-hidden size={20} />
      </Button>
      <ul className="drawer-links">
        {navigation.map((entry) => (
          <li key={entry.label}>
            <NavigationLink entry={entry} onPress={onClose} />
          </li>
        ))}
      </ul>
      <AccountMenu />
    </Sheet>
  );
}
