/** Dragging of posts, as the browser does it. Phones and keyboards have other ways. */
import type { DragEvent } from 'react';

const TYPE = 'application/x-carillon-post';

export function startDrag(event: DragEvent, postId: string): void {
  event.dataTransfer.setData(TYPE, postId);
  event.dataTransfer.effectAllowed = 'move';
}

/** Properties of an element on which posts can be dropped. */
export function dropPlace(onDrop: (postId: string) => void) {
  const mark = (event: DragEvent, isOver: boolean) => event.currentTarget.toggleAttribute('data-drop', isOver);
  return {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(TYPE)) return;
      event.preventDefault();
      mark(event, true);
    },
    onDragLeave: (event: DragEvent) => mark(event, false),
    onDrop: (event: DragEvent) => {
      mark(event, false);
      const postId = event.dataTransfer.getData(TYPE);
      if (postId === '' || event.defaultPrevented) return;
      event.preventDefault();
      onDrop(postId);
    },
  };
}
