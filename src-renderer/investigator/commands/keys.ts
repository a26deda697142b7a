/** Keystrokes: from words such as `Mod+Shift+K` to events and back to what a keyboard says. */

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

/** Shift is part of a printable character already (`?`), so it is compared only for the others. */
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
  PageUp: 'Page Up',
  PageDown: 'Page Down',
};

/** What the keyboard says, one part per key. */
export function keyNames(keys: string, mac: boolean = isMac): string[] {
  const { key, mod, alt, shift } = parseKeys(keys);
  return [
    ...(mod ? [mac ? '⌘' : 'Ctrl'] : []),
    ...(alt ? [mac ? '⌥' : 'Alt'] : []),
    ...(shift ? ['Shift'] : []),
    NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key),
  ];
}

/** Keys that move focus, close dialogs or pan what has focus: no command takes them. */
const NAMED = /^(F\d{1,2}|Insert|Delete)$/;

/** A keystroke as words that {@link parseKeys} reads; null for what no command can be called with. */
export function wordsOfKey(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
  mac: boolean = isMac,
): string | null {
  const { key, altKey, shiftKey } = event;
  const [mod, otherMod] = mac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  const isCharacter = [...key].length === 1 && key.trim() !== '';
  if (otherMod || !(isCharacter || NAMED.test(key))) return null;
  // Shift is part of a character that stands alone.
  const hasShift = shiftKey && !(isCharacter && !mod && !altKey);
  return [mod && 'Mod', altKey && 'Alt', hasShift && 'Shift', isCharacter ? key.toUpperCase() : key]
    .filter(Boolean)
    .join('+');
}

/** Whether two ways of writing keys are the same keystroke. */
export function areSameKeys(one: string, other: string): boolean {
  const [a, b] = [parseKeys(one), parseKeys(other)];
  const isSameKey = a.key.toLowerCase() === b.key.toLowerCase() && a.mod === b.mod && a.alt === b.alt;
  return isSameKey && (a.isPrintable || a.shift === b.shift);
}
