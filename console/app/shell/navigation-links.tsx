/** Entries of the navigation as links. */
import { Link } from '../ui/link.tsx';
import { Link as AriaLink } from 'react-aria-components/Link';
import type { NavigationEntry } from '../navigation.ts';

export function NavigationLink({ entry, onPress }: { entry: NavigationEntry; onPress?: () => void }) {
  const { icon: Icon, label } = entry;
  const content = (
    <>
      <Icon aria-hidden size={20} />
      <span>{label}</span>
    </>
  );
  const press = onPress === undefined ? {} : { onPress };
  if ('href' in entry) {
    return (
      <AriaLink href={entry.href} className="nav-link" {...press}>
        {content}
      </AriaLink>
    );
  }
  return (
    <Link
      to={entry.to}
      className="nav-link"
      activeOptions={{ exact: entry.to === '/', includeSearch: false }}
      {...press}
    >
      {content}
    </Link>
  );
}
