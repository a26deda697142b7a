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
  /** Lanes of a day: their order, and those that are not shown. */
  laneOrder: readonly string[];
  hiddenLanes: readonly string[];
  /** CSS pixels per millimetre of this screen, from a bank card held against it; null: as CSS defines it. */
  pxPerMm: number | null;
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

const stored = read();

export const preferences = createStore<Preferences>({
  language: pickLanguage(stored.language ?? null, navigator.languages),
  theme: THEMES.find((theme) => theme === stored.theme) ?? 'system',
  singleKeys: stored.singleKeys !== false,
  laneOrder: texts(stored.laneOrder),
  hiddenLanes: texts(stored.hiddenLanes),
  pxPerMm: typeof stored.pxPerMm === 'number' && stored.pxPerMm > 1 && stored.pxPerMm < 40 ? stored.pxPerMm : null,
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
