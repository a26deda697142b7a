/** Keystrokes: parses text such as `Mod+Shift+K`, matches keyboard events against it, and names keys for display. */

export interface KeyStroke {
  key: string;
  mod: boolean;
  alt: boolean;
  shift: boolean;
  /** One character without Ctrl or Alt: it would type text, so it can be turned off (WCAG 2.1.4). */
  isPrintable: boolean;
}

const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent);

export function parseKeys(keys: string): KeyStroke {
  const parts = keys.split('+').map((part) => part.trim());
  const key = parts.at(-1) === '' ? '+' : parts.at(-1)!;
  const has = (name: string) => parts.slice(0, -1).includes(name);
  const mod = has('Mod');
  const alt = has('Alt');
  return { key, mod, alt, shift: has('Shift'), isPrintable: key.length === 1 && !mod && !alt };
}

/** Compares Shift only for keys that are not printable: a character such as `?` already implies it. */
export function matches(
  stroke: KeyStroke,
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
  mac: boolean = isMac,
): boolean {
  const mod = mac ? event.metaKey : event.ctrlKey;
  const otherMod = mac ? event.ctrlKey : event.metaKey;
  if (stroke.mod !== mod || otherMod || stroke.alt !== event.altKey) return false;
  if (!stroke.isPrintable && stroke.shift !== event.shiftKey) return false;
  return event.key.toLowerCase() === stroke.key.toLowerCase();
}

export function typesText(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.role === 'spinbutton')
  );
}

const NAMES: Record<string, string> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  PageUp: 'Page Up',
  PageDown: 'Page Down',
};

/** Returns the names printed on the keys, one per key. */
export function keyNames(keys: string, mac: boolean = isMac): string[] {
  const { key, mod, alt, shift } = parseKeys(keys);
  return [
    ...(mod ? [mac ? '⌘' : 'Ctrl'] : []),
    ...(alt ? [mac ? '⌥' : 'Alt'] : []),
    ...(shift ? ['Shift'] : []),
    NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key),
  ];
}

/** The named keys that a command may use: no others, because they move focus, close dialogs or pan a chart. */
const NAMED = /^(F\d{1,2}|Insert|Delete)$/;

/** Returns an event as text that {@link parseKeys} reads; null for a keystroke that no command may use. */
export function wordsOfKey(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
  mac: boolean = isMac,
): string | null {
  const { key, altKey, shiftKey } = event;
  const [mod, otherMod] = mac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  const isCharacter = [...key].length === 1 && key.trim() !== '';
  if (otherMod || !(isCharacter || NAMED.test(key))) return null;
  // A character pressed without Ctrl or Alt already implies Shift.
  const hasShift = shiftKey && !(isCharacter && !mod && !altKey);
  return [mod && 'Mod', altKey && 'Alt', hasShift && 'Shift', isCharacter ? key.toUpperCase() : key]
    .filter(Boolean)
    .join('+');
}

/** Returns whether two spellings stand for the same keystroke. */
export function areSameKeys(one: string, other: string): boolean {
  const [a, b] = [parseKeys(one), parseKeys(other)];
  const isSameKey = a.key.toLowerCase() === b.key.toLowerCase() && a.mod === b.mod && a.alt === b.alt;
  return isSameKey && (a.isPrintable || a.shift === b.shift);
}
