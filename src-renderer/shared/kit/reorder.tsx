/**
 * Lists whose items are put into another order: a handle is dragged by pointer, or lifted with Enter and dropped on another item (React
 * Aria). With the focus on a handle, the arrow keys move its item by one place at once. Every move is announced.
 */
import { createContext, type ReactNode, useContext, useId, useLayoutEffect, useRef, useState } from 'react';
import { Button as AriaButton, useDrag, useDrop } from 'react-aria-components';
import { Icon } from './icon.tsx';
import { moved, placeAfterKey } from './moved.ts';
import styles from './reorder.module.css';

export interface ReorderWords {
  /** Name of a handle. */
  handle: (name: string) => string;
  /** What a handle does, as its description. */
  help: string;
  /** What is announced after a move; places count from 1. */
  moved: (name: string, place: number, count: number) => string;
}

interface List {
  /** Only items of the same list can be dropped into it. */
  type: string;
  names: readonly string[];
  words: ReorderWords;
  helpId: string;
  move: (from: number, to: number) => void;
}

const ListContext = createContext<List | null>(null);

/**
 * @param names of the items, in their present order
 * @param onMove gets the order as the former places of the items
 */
export function Reorder({
  names,
  words,
  onMove,
  children,
}: {
  names: readonly string[];
  words: ReorderWords;
  onMove: (order: number[]) => void;
  children: ReactNode;
}) {
  const id = useId();
  const [said, setSaid] = useState('');
  const move = (from: number, to: number) => {
    if (to === from || to < 0 || to >= names.length) return;
    onMove(moved([...names.keys()], from, to));
    setSaid(words.moved(names[from] ?? '', to + 1, names.length));
  };
  const helpId = `${id}-help`;
  return (
    <ListContext value={{ type: `application/x-outpost-${id}`, names, words, helpId, move }}>
      {children}
      <span id={helpId} className="visually-hidden">
        {words.help}
      </span>
      <span role="status" className="visually-hidden">
        {said}
      </span>
    </ListContext>
  );
}

/**
 * Returns what an item of a list needs: `target` for its element, on which others are dropped, and the handle to render in it.
 * @param index its place
 */
export function useReorderItem(index: number) {
  const list = useContext(ListContext);
  if (!list) throw new Error('An item that can be moved was rendered outside its list.');
  const { type, names, words, helpId, move } = list;
  const ref = useRef<HTMLElement>(null);
  const handle = useRef<HTMLButtonElement>(null);
  /** Moving an element in the document takes the focus from it. */
  const hadFocus = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new place is what gives the focus back
  useLayoutEffect(() => {
    if (hadFocus.current) handle.current?.focus();
    hadFocus.current = false;
  }, [index]);
  const { dragProps, dragButtonProps, isDragging } = useDrag({
    hasDragButton: true,
    getItems: () => [{ [type]: String(index) }],
    getAllowedDropOperations: () => ['move'],
  });
  const { dropProps, isDropTarget } = useDrop({
    ref,
    getDropOperation: (types) => (types.has(type) ? 'move' : 'cancel'),
    async onDrop({ items }) {
      const [item] = items;
      if (item?.kind !== 'text' || !item.types.has(type)) return;
      move(Number(await item.getText(type)), index);
    },
  });
  return {
    target: {
      ...dropProps,
      ref,
      tabIndex: -1,
      'data-dragging': isDragging || undefined,
      'data-drop': isDropTarget || undefined,
    },
    handle: names.length > 1 && (
      <span {...dragProps} className={styles.drag}>
        <AriaButton
          {...dragButtonProps}
          ref={handle}
          className={styles.handle}
          aria-label={words.handle(names[index] ?? '')}
          aria-describedby={[dragButtonProps['aria-describedby'], helpId].filter(Boolean).join(' ')}
          onKeyDown={(event) => {
            const to = placeAfterKey(event.key, index, names.length);
            if (to === undefined) return event.continuePropagation();
            event.preventDefault();
            hadFocus.current = true;
            move(index, to);
          }}
        >
          <Icon name="grip" size={18} />
        </AriaButton>
      </span>
    ),
  };
}
