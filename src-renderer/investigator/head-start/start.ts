/**
 * Runs before the desk's own code has arrived: asks for the files of the screen in the address and for its data, where a
 * session is stored. It imports nothing, because the build writes it as a classic script of its own. A file that fails to load is asked
 * for again by the import that needs it, which reports the failure; so is an answer, by its query.
 */
import type { AheadRequest, AheadRequests } from '../../shared/api/ahead.ts';
import type { HeadStartScreen } from './screens.ts';

/** Files of a screen, by language for those with texts, and its requests. */
export interface HeadStartFiles extends Pick<HeadStartScreen, 'path' | 'requests'> {
  scripts: readonly string[];
  styles: readonly string[];
  texts: Readonly<Record<string, readonly string[]>>;
}

interface StoredSession {
  expiration?: number;
  accessToken?: string;
  user?: { id?: string };
}

export function startAhead(
  screens: readonly HeadStartFiles[],
  sharedTexts: HeadStartFiles['texts'],
  keys: { session: string; preferences: string; ahead: string },
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
  const page: { [member: string]: unknown } = Object(window);

  /**
   * The stream of changes first, and the data only once it is open: then no change falls between the two. A credential that is
   * not accepted is tried once.
   */
  const request = ({ user, accessToken }: StoredSession, paths: readonly string[]) => {
    const requests: AheadRequests = new Map();
    page[keys.ahead] = requests;
    const authorization = `Basic ${btoa(`${user?.id}:${accessToken}`)}`;
    const [live, ...data] = ['/live', ...paths].map((path) => {
      const url = `/api/v1${path}`;
      const key = `${authorization} ${url}`;
      const abort = new AbortController();
      const entry: AheadRequest = { answer: undefined, abort: () => abort.abort() };
      requests.set(key, entry);
      return (): Promise<Response> | undefined => {
        // The desk has come first and asks for itself, or the request was dropped.
        if (requests.get(key) !== entry) return undefined;
        entry.answer = fetch(url, { headers: { authorization }, signal: abort.signal });
        entry.answer.catch(() => undefined);
        return entry.answer;
      };
    });
    live?.()?.then(
      ({ ok }) => {
        if (ok) for (const ask of data) ask();
      },
      () => undefined,
    );
  };

  const begin = (session: StoredSession | null) => {
    if (!(Number(session?.expiration) > Date.now())) return;
    const screen = screens.find(({ path }) => new RegExp(path).test(location.pathname));
    if (!screen) return;
    if (session && screen.requests && !(keys.ahead in page)) {
      const groups = new RegExp(screen.path).exec(location.pathname) ?? [];
      request(
        session,
        screen.requests.map((path) => path.replace(/\$(\d)/g, (_, group) => groups[group] ?? '')),
      );
    }
    for (const file of screen.styles) load('preload', file, 'style');
    for (const file of [...screen.scripts, ...texts(screen.texts)]) load('modulepreload', file);
  };
  for (const file of texts(sharedTexts)) load('modulepreload', file);
  // The desktop program keeps the session itself.
  const program = page.outpostDesktop as { session(): Promise<StoredSession | null> } | undefined;
  if (program) program.session().then(begin, () => undefined);
  else begin(stored(keys.session) as StoredSession);
}
