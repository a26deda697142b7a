/** What one person chose on this computer: language, theme, keys. Kept in the browser, never sent. */
import { type Language, pickLanguage } from './i18n/languages.ts';
import { createStore } from './store.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export interface Preferences {
  language: Language;
  theme: Theme;
  /** Shortcuts of one printable key, which WCAG 2.1.4 asks to be optional. */
  singleKeys: boolean;
  /** Keys chosen for commands, by the id of the person and that of the command. */
  keys: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Lanes of a day: their order, and those that are not shown. */
  laneOrder: readonly string[];
  hiddenLanes: readonly string[];
  /** Lanes of the raw viewer that are not shown, and whether motion has its magnitude drawn. */
  hiddenSignals: readonly string[];
  showsMagnitude: boolean;
  /** Device pixels per millimetre of each display, from a bank card held against it. */
  displays: Readonly<Record<string, number>>;
}

const KEY = 'outpost.preferences';

/** Storage can be refused (private windows, policies): the desk then forgets, and works. */
function read(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>;
  } catch {
    return {};
  }
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const sizes = (value: unknown): Record<string, number> =>
  Object.fromEntries(
    Object.entries(value ?? {}).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] > 1 && entry[1] < 100,
    ),
  );

const keysByPerson = (value: unknown): Record<string, Record<string, string>> =>
  Object.fromEntries(
    Object.entries(value ?? {}).map(([person, keys]) => [
      person,
      Object.fromEntries(
        Object.entries(keys ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      ),
    ]),
  );

const stored = read();

export const preferences = createStore<Preferences>({
  language: pickLanguage(stored.language ?? null, navigator.languages),
  theme: THEMES.find((theme) => theme === stored.theme) ?? 'system',
  singleKeys: stored.singleKeys !== false,
  keys: keysByPerson(stored.keys),
  laneOrder: texts(stored.laneOrder),
  hiddenLanes: texts(stored.hiddenLanes),
  hiddenSignals: texts(stored.hiddenSignals),
  showsMagnitude: stored.showsMagnitude === true,
  displays: sizes(stored.displays),
});

export function setPreference<K extends keyof Preferences>(key: K, value: Preferences[K]): void {
  preferences.set({ ...preferences.get(), [key]: value });
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences.get()));
  } catch {
    // Nothing is lost but the memory of the choice.
  }
}

/** Puts the chosen theme on the page and keeps it there. */
export function followTheme(): void {
  const apply = () => {
    const { theme } = preferences.get();
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  preferences.subscribe(apply);
  apply();
}
