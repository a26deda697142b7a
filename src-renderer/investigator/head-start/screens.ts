/**
 * The screens that people open by their address, with what each loads first. The build turns the modules into the files that
 * hold them; `start.ts` then asks for all of them at once instead of one level of imports after another. A screen that is not
 * here loads as before.
 */
import type { Area } from '../../shared/locales/words.ts';

export interface HeadStartScreen {
  /** Pattern of the path. */
  path: string;
  /** Modules below `investigator/`. */
  modules: readonly string[];
  areas: readonly Area[];
}

const SUBJECT = '^/studies/[^/]+/subjects/[^/]+';

export const HEAD_START_SCREENS: readonly HeadStartScreen[] = [
  { path: '^/$', modules: ['today/today.tsx'], areas: ['today'] },
  { path: '^/studies$', modules: ['studies/studies.tsx'], areas: ['studies'] },
  { path: '^/subjects$', modules: ['subjects/all-subjects.tsx'], areas: ['studies'] },
  {
    path: `${SUBJECT}/days$`,
    modules: ['subjects/subject.tsx', 'days/days.tsx', 'days/day-queries.ts'],
    areas: ['subject', 'studies', 'today'],
  },
  {
    path: `${SUBJECT}/recordings/[^/]+$`,
    modules: ['subjects/subject.tsx', 'viewer/viewer.tsx'],
    areas: ['subject', 'studies', 'viewer', 'today', 'messagesAndEvents'],
  },
];
