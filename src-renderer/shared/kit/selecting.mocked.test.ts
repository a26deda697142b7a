import { createElement, type KeyboardEvent } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type RowSelection, useSelecting } from './row-selection.ts';

const shown = ['a', 'b', 'c', 'd', 'e'];

class Box {
  matches = () => true;
}
beforeEach(() => {
  vi.stubGlobal('HTMLElement', Box);
  vi.stubGlobal('HTMLAnchorElement', class {});
});
afterEach(() => vi.unstubAllGlobals());

/** The selecting of a list; its selection changes in place, so one rendering is enough. */
function selecting(isTyping = () => false) {
  const selection: { -readonly [Member in keyof RowSelection]: RowSelection[Member] } = {
    ids: new Set(),
    lost: 0,
    change: (next) => {
      selection.ids = next;
    },
    remove: (gone) => {
      selection.ids = new Set([...selection.ids].filter((id) => !gone.includes(id)));
    },
    list: { current: null },
  };
  let made: ReturnType<typeof useSelecting>;
  renderToStaticMarkup(
    createElement(() => {
      made = useSelecting(selection, shown, isTyping);
      return null;
    }),
  );
  const key = (id: string, name: string, more: object = {}) =>
    made.onKey({ key: name, target: new Box(), ...more } as unknown as KeyboardEvent<HTMLElement>, id, () => undefined);
  return {
    selection,
    key,
    reachTo: (id: string) => key(id, 'ArrowDown', { shiftKey: true }),
    toggle: (id: string, isRange: boolean) => made.toggle(id, isRange),
    selected: () => [...selection.ids].sort().join(''),
  };
}

it('extends a range key by key', () => {
  const { reachTo, key, selected } = selecting();
  reachTo('a');
  reachTo('b');
  expect(selected()).toBe('abc');
  key('c', 'ArrowUp', { shiftKey: true });
  expect(selected()).toBe('ab');
});

it('does not bring a cleared range back', () => {
  const { selection, reachTo, key, toggle, selected } = selecting();
  reachTo('a');
  reachTo('b');
  key('c', 'Escape');
  reachTo('c');
  expect(selected()).toBe('cd');
  selection.change(new Set());
  toggle('e', true);
  expect(selected()).toBe('e');
});

it('does not bring rows back that an action has done and deselected', () => {
  const { selection, reachTo, toggle, selected } = selecting();
  reachTo('a');
  reachTo('b');
  selection.remove(['a', 'b']);
  reachTo('c');
  expect(selected()).toBe('cd');
  toggle('a', false);
  selection.remove(['a', 'c', 'd']);
  toggle('e', true);
  expect(selected()).toBe('e');
});

it('leaves X to a name that is being typed', () => {
  let isTyping = true;
  const { key, selected } = selecting(() => isTyping);
  expect(key('a', 'x')).toBe(false);
  isTyping = false;
  expect(key('a', 'x')).toBe(true);
  expect(selected()).toBe('a');
});
