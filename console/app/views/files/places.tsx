/** The head of the four views of files and feeds: the heading, and links to each of them. */
import { useTitle } from '../../shell/use-title.ts';
import { Link } from '../../ui/link.tsx';
import './files.css';

const PLACES = [
  { to: '/files', label: 'Import' },
  { to: '/files/export', label: 'Export' },
  { to: '/files/feeds', label: 'Feeds' },
  { to: '/files/calendars', label: 'Calendar addresses' },
] as const;

export function PlacesHead({ title }: { title: (typeof PLACES)[number]['label'] }) {
  useTitle(`${title}: Files and feeds`);
  return (
    <>
      <h1>Files and feeds</h1>
      <nav className="places" aria-label="Files and feeds">
        <ul>
          {PLACES.map(({ to, label }) => (
            <li key={to}>
              <Link to={to} className="place" activeOptions={{ exact: true, includeSearch: false }}>
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </>
  );
}
