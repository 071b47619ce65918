/** Whether the page is being printed, for views that show all on paper and a part on a screen. */
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

export function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const paper = matchMedia('print');
    // The browser takes the page as it is right after the event.
    const follow = ({ matches }: { readonly matches: boolean }) => flushSync(() => setPrinting(matches));
    paper.addEventListener('change', follow);
    return () => paper.removeEventListener('change', follow);
  }, []);
  return isPrinting;
}
