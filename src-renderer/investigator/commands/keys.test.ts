import { describe, expect, it } from 'vitest';
import { keyNames, matches, parseKeys } from './keys.ts';

const press = (key: string, more: object = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

describe('keystrokes', () => {
  it('takes Ctrl here and Cmd on a Mac, and never both', () => {
    const stroke = parseKeys('Mod+K');
    expect(matches(stroke, press('k', { ctrlKey: true }), false)).toBe(true);
    expect(matches(stroke, press('k', { metaKey: true }), false)).toBe(false);
    expect(matches(stroke, press('k', { metaKey: true }), true)).toBe(true);
    expect(matches(stroke, press('k'), false)).toBe(false);
  });

  it('takes a printable character whatever Shift it needs on this keyboard', () => {
    const stroke = parseKeys('?');
    expect(stroke.isPrintable).toBe(true);
    expect(matches(stroke, press('?', { shiftKey: true }), false)).toBe(true);
    expect(matches(stroke, press('?', { ctrlKey: true }), false)).toBe(false);
  });

  it('keeps Shift apart on named keys', () => {
    expect(matches(parseKeys('PageUp'), press('PageUp', { shiftKey: true }), false)).toBe(false);
    expect(parseKeys('Alt+1').isPrintable).toBe(false);
    expect(parseKeys('Mod++').key).toBe('+');
  });

  it('names keys as the keyboard does', () => {
    expect(keyNames('Mod+K', false)).toEqual(['Ctrl', 'K']);
    expect(keyNames('Mod+K', true)).toEqual(['⌘', 'K']);
    expect(keyNames('ArrowLeft', false)).toEqual(['←']);
  });
});
