/** Icons come from lucide-react, one import per icon: `import Send from 'lucide-react/icons/send'`. */
import type Icon from 'lucide-react/icons/send';

export type LucideIcon = typeof Icon;
