/** Preferences of the user on this computer: language, theme, keys, lanes. Stored in the browser, never sent to the site. */
import { type Language, pickLanguage } from './i18n/languages.ts';
import { createStore } from './store.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export interface Preferences {
  language: Language;
  theme: Theme;
  /** Single-key shortcuts; WCAG 2.1.4 requires that they can be turned off. */
  singleKeys: boolean;
  /** Custom keys, by user id and command id. */
  keys: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Lanes of a day: their order, and the hidden ones. */
  laneOrder: readonly string[];
  hiddenLanes: readonly string[];
  /** Hidden lanes of the signal viewer, and whether motion lanes draw the magnitude. */
  hiddenSignals: readonly string[];
  showsMagnitude: boolean;
  /** Hidden columns, by table. */
  hiddenColumns: Readonly<Record<string, readonly string[]>>;
  /** Device pixels per millimetre by display, calibrated with a bank card. */
  displays: Readonly<Record<string, number>>;
}

const KEY = 'outpost.preferences';

/** Storage can be blocked (private windows, policies); then preferences last as long as the page. */
function read(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>;
  } catch {
    return {};
  }
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const textsByName = (value: unknown): Record<string, string[]> =>
  Object.fromEntries(Object.entries(value ?? {}).map(([name, list]) => [name, texts(list)]));

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
  hiddenColumns: textsByName(stored.hiddenColumns),
  displays: sizes(stored.displays),
});

export function setPreference<K extends keyof Preferences>(key: K, value: Preferences[K]): void {
  preferences.set({ ...preferences.get(), [key]: value });
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences.get()));
  } catch {
    // Storage is blocked: the choice lasts as long as the page.
  }
}

/** Applies the chosen theme to the page, now and after every change. */
export function followTheme(): void {
  const apply = () => {
    const { theme } = preferences.get();
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  preferences.subscribe(apply);
  apply();
}
