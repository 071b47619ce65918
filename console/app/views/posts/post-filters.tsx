/** The filters of the list of posts. They live in the address, so that every combination is a link. */
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { SearchField } from 'react-aria-components/SearchField';
import type { FilterChanges, PostsSearch } from './search.ts';

// The list is shown first: lists of choices are a sixth of the script of this view.
const FilterChoices = lazy(() => import('./filter-choices.tsx'));

/** A pause in typing after which the list is searched. */
const TYPING_MS = 300;

export function PostFilters({ search }: { search: PostsSearch }) {
  const navigate = useNavigate({ from: '/posts' });
  // Back returns to the choice before, but not through every word that was typed.
  const change = (changes: FilterChanges, replace = false) =>
    void navigate({ to: '/posts', search: (before) => withoutEmpty({ ...before, ...changes }), replace });
  return (
    <search className="filters">
      <WordSearch words={search.q ?? ''} onSearch={(q) => change({ q }, true)} />
      <Suspense fallback={<div className="filters-space" />}>
        <FilterChoices search={search} onChange={change} />
      </Suspense>
    </search>
  );
}

function withoutEmpty(search: FilterChanges): PostsSearch {
  const isThere = (value: unknown) =>
    value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(search).filter(([, value]) => isThere(value)));
}

function WordSearch({ words, onSearch }: { words: string; onSearch(words: string): void }) {
  const [text, setText] = useState(words);
  const [asked, setAsked] = useState(words);
  // The address changed by itself: back, forward, or a link.
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
