/**
 * Runs before the desk's own code has arrived: asks for the files of the screen in the address, where a session is
 * stored. It imports nothing, because the build writes it as a classic script of its own. A file that fails to load is asked
 * for again by the import that needs it, which reports the failure.
 */
import type { HeadStartScreen } from './screens.ts';

/** Files of a screen, by language for those with texts. */
export interface HeadStartFiles extends Pick<HeadStartScreen, 'path'> {
  scripts: readonly string[];
  styles: readonly string[];
  texts: Readonly<Record<string, readonly string[]>>;
}

export function startAhead(
  screens: readonly HeadStartFiles[],
  sharedTexts: HeadStartFiles['texts'],
  keys: { session: string; preferences: string },
): void {
  const stored = (key: string): Record<string, unknown> => {
    try {
      return JSON.parse(localStorage.getItem(key) ?? '{}') ?? {};
    } catch {
      return {};
    }
  };
  const load = (rel: string, href: string, as?: string) => {
    const link = document.createElement('link');
    link.rel = rel;
    link.crossOrigin = '';
    if (as !== undefined) link.as = as;
    link.href = href;
    document.head.append(link);
  };
  const [language] = [stored(keys.preferences).language, ...navigator.languages]
    .map((tag) =>
      String(tag ?? '')
        .slice(0, 2)
        .toLowerCase(),
    )
    .filter((tag) => tag in sharedTexts);
  const texts = (of: HeadStartFiles['texts']) => of[language ?? 'en'] ?? [];
  for (const file of texts(sharedTexts)) load('modulepreload', file);
  const session = stored(keys.session) as { expiration?: number };
  if (!(Number(session.expiration) > Date.now())) return;
  for (const screen of screens) {
    if (!new RegExp(screen.path).test(location.pathname)) continue;
    for (const file of screen.styles) load('preload', file, 'style');
    for (const file of [...screen.scripts, ...texts(screen.texts)]) load('modulepreload', file);
  }
}
