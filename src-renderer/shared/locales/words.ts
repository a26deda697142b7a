/**
 * The desk's texts, in areas: `en/<area>.ts` and `ja/<area>.ts` hold the same keys (the compiler and locales.test.ts keep them
 * complete). An area loads with the first screen that names it, so that a new screen costs the others nothing.
 */
import type { Language } from '../i18n/languages.ts';
import type { authoring } from './en/authoring.ts';
import type { desk } from './en/desk.ts';
import type { equipment } from './en/equipment.ts';
import type { exports } from './en/exports.ts';
import type { findings } from './en/findings.ts';
import type { site } from './en/site.ts';
import type { subject } from './en/subject.ts';
import type { talk } from './en/talk.ts';
import type { today } from './en/today.ts';
import type { viewer } from './en/viewer.ts';

type Widen<T> = { [K in keyof T]: T[K] extends string ? string : Widen<T[K]> };

/** Every text of every area. */
export type Messages = Widen<
  typeof desk &
    typeof authoring &
    typeof equipment &
    typeof exports &
    typeof findings &
    typeof site &
    typeof subject &
    typeof talk &
    typeof today &
    typeof viewer
>;

/** Japanese has one plural form: `_one` is left out there. */
export type Translated<T> = {
  [K in keyof T as K extends `${string}_one` ? never : K]: T[K] extends string ? string : Translated<T[K]>;
};

export const AREAS = {
  desk: {
    en: async () => (await import('./en/desk.ts')).desk,
    ja: async () => (await import('./ja/desk.ts')).desk,
  },
  authoring: {
    en: async () => (await import('./en/authoring.ts')).authoring,
    ja: async () => (await import('./ja/authoring.ts')).authoring,
  },
  equipment: {
    en: async () => (await import('./en/equipment.ts')).equipment,
    ja: async () => (await import('./ja/equipment.ts')).equipment,
  },
  exports: {
    en: async () => (await import('./en/exports.ts')).exports,
    ja: async () => (await import('./ja/exports.ts')).exports,
  },
  findings: {
    en: async () => (await import('./en/findings.ts')).findings,
    ja: async () => (await import('./ja/findings.ts')).findings,
  },
  site: {
    en: async () => (await import('./en/site.ts')).site,
    ja: async () => (await import('./ja/site.ts')).site,
  },
  subject: {
    en: async () => (await import('./en/subject.ts')).subject,
    ja: async () => (await import('./ja/subject.ts')).subject,
  },
  talk: {
    en: async () => (await import('./en/talk.ts')).talk,
    ja: async () => (await import('./ja/talk.ts')).talk,
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
