/**
 * The screens that people open by their address, with what each loads and asks for first. The build turns the modules into the
 * files that hold them; `start.ts` then asks for all of them at once instead of one level of imports after another, and for
 * the data beside them. A screen that is not here loads as before.
 */
import type { Area } from '../../shared/locales/words.ts';

export interface HeadStartScreen {
  /** Pattern of the path; `requests` refer to its groups. */
  path: string;
  /** Modules below `investigator/`. */
  modules: readonly string[];
  areas: readonly Area[];
  /** Below `/api/v1`, letter for letter as the queries of the screen ask for them; a test compares. */
  requests?: readonly string[];
}

const ID = '([\\w-]+)';
const SUBJECT = `^/studies/${ID}/subjects/${ID}`;
const SUBJECT_REQUEST = '/studies/$1/subjects/$2?recordings=false';

export const HEAD_START_SCREENS: readonly HeadStartScreen[] = [
  { path: '^/$', modules: ['today/today.tsx'], areas: ['today'] },
  { path: '^/studies$', modules: ['studies/studies.tsx'], areas: ['studies'] },
  { path: '^/subjects$', modules: ['subjects/all-subjects.tsx'], areas: ['studies', 'filters'] },
  {
    path: `${SUBJECT}/days$`,
    modules: ['subjects/subject.tsx', 'days/days.tsx', 'days/day-queries.ts'],
    areas: ['subject', 'studies', 'today', 'queries'],
    requests: [SUBJECT_REQUEST],
  },
  {
    path: `${SUBJECT}/recordings/${ID}$`,
    modules: ['subjects/subject.tsx', 'viewer/viewer.tsx', 'viewer/data/first-samples.ts'],
    areas: ['subject', 'studies', 'viewer', 'today', 'messagesAndEvents', 'queries'],
    requests: [
      SUBJECT_REQUEST,
      '/studies/$1/subjects/$2/recordings?overlapping=$3',
      '/studies/$1/recordings/$3/overview?bins=1500&readable=true',
    ],
  },
];
