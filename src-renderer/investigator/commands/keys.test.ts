import { describe, expect, it } from 'vitest';
import { areSameKeys, keyNames, matches, parseKeys, wordsOfKey } from './keys.ts';

const press = (key: string, more: object = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

describe('keystrokes', () => {
  it('matches Mod as Ctrl here and as Cmd on a Mac, never as both', () => {
    const stroke = parseKeys('Mod+K');
    expect(matches(stroke, press('k', { ctrlKey: true }), false)).toBe(true);
    expect(matches(stroke, press('k', { metaKey: true }), false)).toBe(false);
    expect(matches(stroke, press('k', { metaKey: true }), true)).toBe(true);
    expect(matches(stroke, press('k'), false)).toBe(false);
  });

  it('matches a printable character regardless of Shift', () => {
    const stroke = parseKeys('?');
    expect(stroke.isPrintable).toBe(true);
    expect(matches(stroke, press('?', { shiftKey: true }), false)).toBe(true);
    expect(matches(stroke, press('?', { ctrlKey: true }), false)).toBe(false);
  });

  it('distinguishes named keys with and without Shift', () => {
    expect(matches(parseKeys('PageUp'), press('PageUp', { shiftKey: true }), false)).toBe(false);
    expect(parseKeys('Alt+1').isPrintable).toBe(false);
    expect(parseKeys('Mod++').key).toBe('+');
  });

  it('names keys as they are printed on the keyboard', () => {
    expect(keyNames('Mod+K', false)).toEqual(['Ctrl', 'K']);
    expect(keyNames('Mod+K', true)).toEqual(['⌘', 'K']);
    expect(keyNames('ArrowLeft', false)).toEqual(['←']);
  });

  it('records a key press as text that parses to the same keystroke', () => {
    const strokes = [
      ['g', {}, 'G'],
      ['G', { shiftKey: true }, 'G'],
      ['?', { shiftKey: true }, '?'],
      ['+', { ctrlKey: true }, 'Mod++'],
      ['j', { ctrlKey: true, shiftKey: true }, 'Mod+Shift+J'],
      ['F8', { altKey: true }, 'Alt+F8'],
    ] as const;
    for (const [key, more, words] of strokes) {
      expect(wordsOfKey(press(key, more), false)).toBe(words);
      expect(matches(parseKeys(words), press(key, more), false)).toBe(true);
    }
    for (const key of ['ArrowLeft', 'Home', 'Enter', ' ', 'Dead', 'Process'])
      expect(wordsOfKey(press(key), false)).toBeNull();
    expect(wordsOfKey(press('g', { metaKey: true }), false)).toBeNull();
  });

  it('recognizes the same keystroke in different spellings', () => {
    expect(areSameKeys('g', 'G')).toBe(true);
    expect(areSameKeys('Mod+Z', 'Mod+Shift+Z')).toBe(false);
    expect(areSameKeys('?', 'Shift+?')).toBe(true);
    expect(areSameKeys('g', 'Mod+G')).toBe(false);
  });
});
