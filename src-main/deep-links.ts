/**
 * Links of the form `outpost://site/<id of the site>/<address of the desk>`. Anybody can write one, so a link only shows a page: it is
 * taken apart here and compared with a table. Nothing of it that the table does not know is used.
 */

import { LONGEST_FILTER_VALUE } from '../src-server/vocabulary/saved-filters.ts';

/** The scheme, as registered with the system. */
export const LINK_SCHEME = 'outpost';

export interface DeepLink {
  siteId: string;
  /** Address within the desk, such as `/studies/…?date=2026-01-12`. */
  path: string;
}

/** Windows opens no longer address. */
const MAX_LENGTH = 2000;
const ID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
/** Serial numbers are what manufacturers print. */
const SERIAL = '[0-9A-Za-z](?:[0-9A-Za-z._-]{0,63})';
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const UUID = new RegExp(`^${ID}$`);
/** One of the choices of a filter; the desk ignores those that it does not know. */
const CHOICE = /^[A-Za-z_-]{1,40}$/;
const ESCAPED = /^[0-9A-Za-z*._+%-]+$/;
/** In the quotes that the desk writes around digits. */
const LONGEST_TEXT = LONGEST_FILTER_VALUE + 2;

interface Form {
  test: (value: string) => boolean;
}

/** Writes parameters in the one way in which the desk and {@link TEXT} write them. */
const escaped = (name: string, value: string): string => new URLSearchParams([[name, value]]).toString();

/** What a list is searched for. Only the one escaped form of a text is read, so no two links differ in nothing but escapes. */
const TEXT: Form = {
  test: (value) => {
    if (!ESCAPED.test(value)) return false;
    const text = new URLSearchParams(`t=${value}`).get('t') ?? '';
    const isPlain = text.length <= LONGEST_TEXT && !/[\p{Cc}\p{Zl}\p{Zp}\ufffd]/u.test(text);
    return isPlain && escaped('t', text) === `t=${value}`;
  },
};

type Parameters = Readonly<Record<string, Form>>;

const ACCESS: Parameters = { user: UUID, kind: CHOICE, subject: UUID, address: TEXT, from: DATE, to: DATE };

/** Pages that a link may show, with their parameters. Not the sign-in, passwords, pairing, the recording of a sensor, and pages that print. */
const PAGES: readonly (readonly [path: string, parameters?: Parameters])[] = [
  ['/'],
  ['/studies'],
  ['/studies/$id'],
  ['/studies/$id/(?:signatures|members|definition|analysis|quality|board|plan)'],
  ['/studies/$id/subjects', { text: TEXT, filter: CHOICE, group: UUID }],
  ['/studies/$id/history', { type: CHOICE }],
  ['/studies/$id/queries', { state: CHOICE, of: UUID, assignee: UUID }],
  ['/studies/$id(?:/subjects/$id)?/notes', { kind: CHOICE, note: UUID }],
  ['/subjects', { text: TEXT, filter: CHOICE, group: UUID }],
  [
    '/studies/$id/subjects/$id/days',
    { date: DATE, range: /^(?:both|day|night)$/, view: /^(?:timeline|table|week|week-table)$/ },
  ],
  ['/studies/$id/subjects/$id/tasks', { date: DATE, view: /^table$/ }],
  ['/studies/$id/subjects/$id(?:/(?:coverage|metrics|recordings|history|equipment|participation))?'],
  ['/studies/$id/subjects/$id/messages', { show: UUID }],
  ['/studies/$id/subjects/$id/labels', { text: TEXT, kind: CHOICE, show: UUID }],
  ['/studies/$id/subjects/$id/queries', { state: CHOICE, assignee: UUID, show: UUID }],
  ['/studies/$id/subjects/$id/recordings/$id', { at: /^\d{1,16}$/ }],
  ['/events', { study: UUID, date: DATE, type: /^[A-Z_]{1,40}$/, subject: UUID, show: /^\d{1,15}$/ }],
  ['/messages', { study: UUID, subject: UUID }],
  ['/equipment', { text: TEXT, type: CHOICE, state: CHOICE }],
  ['/equipment/(?:devices|docks|uploads)'],
  ['/equipment/(?!(?:devices|docks|uploads|pair)$)$serial'],
  ['/exports', { study: UUID }],
  ['/site'],
  ['/site/(?:users|backups|mail|webhooks|network(?:/trust)?)'],
  ['/site/jobs', { state: CHOICE }],
  ['/site/audit', { study: UUID, user: UUID, type: CHOICE, from: DATE, to: DATE }],
  ['/site/access', ACCESS],
  ['/studies/$id/access', ACCESS],
  ['/site/webhooks/$id'],
  ['/site/users/$id/history'],
  ['/account'],
  ['/manual', { task: /^[a-z-]{1,30}$/ }],
  ['/manual/metrics', { metric: /^[A-Z0-9_]{1,60}$/ }],
];

const TABLE = PAGES.map(([path, parameters = {}]) => ({
  path: new RegExp(`^${path.replaceAll('$id', ID).replaceAll('$serial', SERIAL)}$`),
  parameters,
}));

/** Returns the parameters in their order; null unless each is known, once, and of its form. */
const searchOf = (text: string, known: Parameters): string | null => {
  const seen = new Set<string>();
  for (const part of text.split('&')) {
    const [, name = '', value = ''] = /^([a-z]+)=(.+)$/.exec(part) ?? [];
    if (seen.has(name) || !Object.hasOwn(known, name) || !known[name]?.test(value)) return null;
    seen.add(name);
  }
  return text;
};

/** Returns what an address of the desk may be linked as; null for any other. */
export const linkedPath = (address: string): string | null => {
  const [path = '', search, ...more] = address.split('?');
  const page = TABLE.find((one) => one.path.test(path));
  if (!page || more.length > 0) return null;
  if (search === undefined) return path;
  const kept = searchOf(search, page.parameters);
  return kept === null ? null : `${path}?${kept}`;
};

/** Returns the parts of a link; null unless every character of it is expected. */
export const parseDeepLink = (text: unknown): DeepLink | null => {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return null;
  // No user names, ports or fragments, and escapes only in what a list is searched for, so nothing can be read in two ways.
  const found = new RegExp(`^${LINK_SCHEME}://site/(${ID})((?:/[0-9A-Za-z._/-]*)?(?:\\?[0-9A-Za-z*._&=+%-]*)?)$`).exec(
    text,
  );
  const [, siteId, address] = found ?? [];
  if (siteId === undefined || address === undefined) return null;
  const path = linkedPath(address === '' ? '/' : address);
  return path === null ? null : { siteId, path };
};

/** Returns the link to a page of the desk; null for a page that has none. Parameters that a link cannot hold are left out. */
export const deepLinkTo = (siteId: string, address: string): string | null => {
  const [path = '', search = ''] = address.split('?');
  const parts = [...new URLSearchParams(search)].map(([name, value]) => escaped(name, value));
  const kept = parts.filter((part) => linkedPath(`${path}?${part}`) !== null);
  const linked = linkedPath(kept.length > 0 ? `${path}?${kept.join('&')}` : path) ?? linkedPath(path);
  if (linked === null) return null;
  const link = `${LINK_SCHEME}://site/${siteId}${linked}`;
  return link.length <= MAX_LENGTH ? link : deepLinkTo(siteId, path);
};

/** Whether an argument of the command line is meant as a link, well-formed or not. */
export const isLinkArgument = (argument: string): boolean => /^outpost:/i.test(argument);
