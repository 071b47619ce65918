/** Moves an item of a list up or down, with the keyboard too. */
import { Button } from './button.tsx';
import { ArrowDown, ArrowUp } from './icons.tsx';

interface MoveButtonsProps {
  readonly what: string;
  readonly index: number;
  readonly count: number;
  /** Start of the ids of the buttons, `-up` and `-down`, for a list that gives the focus back. */
  readonly id?: string;
  onMove(index: number, by: number): void;
}

export function MoveButtons({ what, index, count, id, onMove }: MoveButtonsProps) {
  if (count < 2) return null;
  return (
    <>
      <Button
        {...(id !== undefined && { id: `${id}-up` })}
        look="icon"
        aria-label={`Move ${what} up`}
        isDisabled={index === 0}
        onPress={() => onMove(index, -1)}
      >
        <ArrowUp aria-hidden size={18} />
      </Button>
      <Button
        {...(id !== undefined && { id: `${id}-down` })}
        look="icon"
        aria-label={`Move ${what} down`}
        isDisabled={index === count - 1}
        onPress={() => onMove(index, 1)}
      >
        <ArrowDown aria-hidden size={18} />
      </Button>
    </>
  );
}
