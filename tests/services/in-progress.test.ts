/** The list of what is in progress: its members are those that have not ended, and they may end in any order. */
import { expect, it } from 'vitest';
import { InProgress } from '../../services/in-progress.ts';

it('has exactly the members that have not ended, in any order of their ends', () => {
  const orders = [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [1, 3, 0, 2],
  ];
  for (const order of orders) {
    const list = new InProgress<number>();
    const ends = [0, 1, 2, 3].map((item) => list.add(item));
    const left = new Set([0, 1, 2, 3]);
    for (const item of order) {
      ends[item]?.();
      left.delete(item);
      expect({ members: new Set(list), size: list.size }).toEqual({ members: left, size: left.size });
    }
  }
});

it('takes a second end of the same member as none, also when others came in between', () => {
  const list = new InProgress<string>();
  const end = list.add('a');
  end();
  list.add('b');

  end();

  expect([...list]).toEqual(['b']);
});

it('has equal items as often as they were added', () => {
  const list = new InProgress<string>();
  const end = list.add('a');
  list.add('a');

  end();

  expect([...list]).toEqual(['a']);
});
