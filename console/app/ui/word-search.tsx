/** A field that searches while a person types, after a short pause. */
import { useEffect, useState } from 'react';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { SearchField } from 'react-aria-components/SearchField';

/** A pause in typing after which is searched. */
const TYPING_MS = 250;

/** @param words what the address says now */
export function WordSearch({ words, onSearch }: { words: string; onSearch(words: string): void }) {
  const [text, setText] = useState(words);
  const [asked, setAsked] = useState(words);
  // The address changed without this field: back, forward, or a link.
  if (words !== asked && text.trim() === asked) {
    setText(words);
    setAsked(words);
  }
  useEffect(() => {
    if (text.trim() === asked) return;
    const timer = setTimeout(() => {
      setAsked(text.trim());
      onSearch(text.trim());
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, asked, onSearch]);
  return (
    <SearchField className="field filter-words" value={text} onChange={setText}>
      <Label>Words</Label>
      <Input dir="auto" />
    </SearchField>
  );
}
