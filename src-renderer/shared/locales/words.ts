/**
 * The desk's texts by area: `en/<area>.ts` and `ja/<area>.ts` have the same keys, which the compiler and locales.test.ts check.
 * An area loads with the first screen that uses it, so that its texts do not delay other screens.
 */
import type { Language } from '../i18n/languages.ts';
import type { access } from './en/access.ts';
import type { bulk } from './en/bulk.ts';
import type { desk } from './en/desk.ts';
import type { diagnostics } from './en/diagnostics.ts';
import type { docks } from './en/docks.ts';
import type { equipment } from './en/equipment.ts';
import type { erasure } from './en/erasure.ts';
import type { exports } from './en/exports.ts';
import type { filters } from './en/filters.ts';
import type { manual } from './en/manual.ts';
import type { messagesAndEvents } from './en/messages-and-events.ts';
import type { notes } from './en/notes.ts';
import type { paper } from './en/paper.ts';
import type { participation } from './en/participation.ts';
import type { quality } from './en/quality.ts';
import type { queries } from './en/queries.ts';
import type { record } from './en/record.ts';
import type { rowTables } from './en/row-tables.ts';
import type { site } from './en/site.ts';
import type { studies } from './en/studies.ts';
import type { subject } from './en/subject.ts';
import type { today } from './en/today.ts';
import type { viewer } from './en/viewer.ts';
import type { Widen } from './translated.ts';

/** Every text of every area. */
export type Messages = Widen<
  typeof desk &
    typeof access &
    typeof bulk &
    typeof studies &
    typeof docks &
    typeof equipment &
    typeof exports &
    typeof filters &
    typeof erasure &
    typeof diagnostics &
    typeof site &
    typeof subject &
    typeof manual &
    typeof messagesAndEvents &
    typeof notes &
    typeof paper &
    typeof quality &
    typeof participation &
    typeof queries &
    typeof record &
    typeof rowTables &
    typeof today &
    typeof viewer
>;

export const AREAS = {
  desk: {
    en: async () => (await import('./en/desk.ts')).desk,
    ja: async () => (await import('./ja/desk.ts')).desk,
  },
  access: {
    en: async () => (await import('./en/access.ts')).access,
    ja: async () => (await import('./ja/access.ts')).access,
  },
  bulk: {
    en: async () => (await import('./en/bulk.ts')).bulk,
    ja: async () => (await import('./ja/bulk.ts')).bulk,
  },
  studies: {
    en: async () => (await import('./en/studies.ts')).studies,
    ja: async () => (await import('./ja/studies.ts')).studies,
  },
  docks: {
    en: async () => (await import('./en/docks.ts')).docks,
    ja: async () => (await import('./ja/docks.ts')).docks,
  },
  equipment: {
    en: async () => (await import('./en/equipment.ts')).equipment,
    ja: async () => (await import('./ja/equipment.ts')).equipment,
  },
  exports: {
    en: async () => (await import('./en/exports.ts')).exports,
    ja: async () => (await import('./ja/exports.ts')).exports,
  },
  filters: {
    en: async () => (await import('./en/filters.ts')).filters,
    ja: async () => (await import('./ja/filters.ts')).filters,
  },
  erasure: {
    en: async () => (await import('./en/erasure.ts')).erasure,
    ja: async () => (await import('./ja/erasure.ts')).erasure,
  },
  diagnostics: {
    en: async () => (await import('./en/diagnostics.ts')).diagnostics,
    ja: async () => (await import('./ja/diagnostics.ts')).diagnostics,
  },
  site: {
    en: async () => (await import('./en/site.ts')).site,
    ja: async () => (await import('./ja/site.ts')).site,
  },
  subject: {
    en: async () => (await import('./en/subject.ts')).subject,
    ja: async () => (await import('./ja/subject.ts')).subject,
  },
  messagesAndEvents: {
    en: async () => (await import('./en/messages-and-events.ts')).messagesAndEvents,
    ja: async () => (await import('./ja/messages-and-events.ts')).messagesAndEvents,
  },
  manual: {
    en: async () => (await import('./en/manual.ts')).manual,
    ja: async () => (await import('./ja/manual.ts')).manual,
  },
  notes: {
    en: async () => (await import('./en/notes.ts')).notes,
    ja: async () => (await import('./ja/notes.ts')).notes,
  },
  participation: {
    en: async () => (await import('./en/participation.ts')).participation,
    ja: async () => (await import('./ja/participation.ts')).participation,
  },
  paper: {
    en: async () => (await import('./en/paper.ts')).paper,
    ja: async () => (await import('./ja/paper.ts')).paper,
  },
  quality: {
    en: async () => (await import('./en/quality.ts')).quality,
    ja: async () => (await import('./ja/quality.ts')).quality,
  },
  queries: {
    en: async () => (await import('./en/queries.ts')).queries,
    ja: async () => (await import('./ja/queries.ts')).queries,
  },
  record: {
    en: async () => (await import('./en/record.ts')).record,
    ja: async () => (await import('./ja/record.ts')).record,
  },
  rowTables: {
    en: async () => (await import('./en/row-tables.ts')).rowTables,
    ja: async () => (await import('./ja/row-tables.ts')).rowTables,
  },
  today: {
    en: async () => (await import('./en/today.ts')).today,
    ja: async () => (await import('./ja/today.ts')).today,
  },
  viewer: {
    en: async () => (await import('./en/viewer.ts')).viewer,
    ja: async () => (await import('./ja/viewer.ts')).viewer,
  },
} as const satisfies Record<string, Record<Language, () => Promise<object>>>;

export type Area = keyof typeof AREAS;
