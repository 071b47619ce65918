/** The filters of the list of posts. They live in the address, so that every combination is a link. */
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { withoutEmpty } from '../../data/search.ts';
import { WordSearch } from '../../ui/word-search.tsx';
import type { FilterChanges, PostsSearch } from './search.ts';

// The list is shown first: lists of choices are a sixth of the script of this view.
const FilterChoices = lazy(() => import('./filter-choices.tsx'));

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
