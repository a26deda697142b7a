/** The targets of the palette: subjects, studies, their pages, the pages of the sections, and the commands of the screen. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { Study, Subject } from '../../../src-server/api/contract/index.ts';
import { DEFAULT_ANALYSIS_PARAMETERS } from '../../../src-server/vocabulary/analysis-parameters.ts';
import { fold } from '../../../src-server/vocabulary/search.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { metricDictionaryQuery, studiesQuery, subjectsQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { type Translate, useWords } from '../../shared/i18n/i18n.ts';
import type { Language } from '../../shared/i18n/languages.ts';
import type { IconName } from '../../shared/kit/icon.tsx';
import { isSavedFilter, useCommandList } from '../commands/commands.ts';
import { MANUAL } from '../manual/tasks.ts';
import { labelValues } from '../metrics/label-values.ts';
import { metricLabel } from '../metrics/metric-help.tsx';
import { SITE_TABS } from '../site/site-page.tsx';
import { STUDY_VIEWS, SUBJECT_VIEWS } from '../studies/views.ts';

export interface Target {
  id: string;
  label: string;
  /** Parts of the label that were searched for. */
  matches?: readonly (readonly [number, number])[];
  detail?: string | undefined;
  keys?: readonly string[];
  icon: IconName;
  run: () => void;
}

export interface TargetSection {
  title: string;
  targets: Target[];
}

/** Pages inside the sections. */
const PAGES = [
  ...SITE_TABS.map((tab) => ({ ...tab, section: 'nav.site' as const })),
  { to: '/equipment/devices', label: 'equipment.devices', section: 'nav.equipment', isOpen: true },
  { to: '/equipment/uploads', label: 'equipment.uploads', section: 'nav.equipment', isOpen: true },
  { to: '/manual', label: 'account.manual', section: 'account.menu', isOpen: true },
  { to: '/account', label: 'account.yours', section: 'account.menu', isOpen: true },
] as const;

const MAX_PER_SECTION = 8;

/** Whether every word occurs in the label or the detail. */
function matchesWords(target: Target, words: readonly string[]): boolean {
  const text = fold(`${target.label} ${target.detail ?? ''}`);
  return words.every((word) => text.includes(word));
}

/**
 * Whether the words name a page of a subject or a study: its own name together with its owner's, or its own name alone for
 * the owner that is open. Otherwise the name of an owner would list all its pages.
 */
function matchesPage(page: string, owner: string, isOpen: boolean, words: readonly string[]): boolean {
  const [pageText, ownerText] = [fold(page), fold(owner)];
  return (
    words.every((word) => pageText.includes(word) || ownerText.includes(word)) &&
    words.some((word) => pageText.includes(word) && !ownerText.includes(word)) &&
    (isOpen || words.some((word) => ownerText.includes(word)))
  );
}

type Permissions = ReturnType<typeof usePermissions>;
type Navigate = ReturnType<typeof useNavigate>;

interface Search {
  words: readonly string[];
  /** The study and the subject whose page is open. */
  open: { studyId?: string; subjectId?: string };
  t: Translate;
  can: Permissions;
  navigate: Navigate;
}

interface Person {
  study: Study;
  subject: Subject;
}

const subjectTarget = ({ study, subject }: Person, navigate: Navigate): Target => ({
  id: subject.id,
  label: subject.displayName,
  detail: study.displayName,
  icon: 'subjects',
  run: () =>
    void navigate({
      to: '/studies/$studyId/subjects/$subjectId/days',
      params: { studyId: study.id, subjectId: subject.id },
    }),
});

const studyTarget = (study: Study, navigate: Navigate): Target => ({
  id: study.id,
  label: study.displayName,
  detail: study.title,
  icon: 'studies',
  run: () => void navigate({ to: '/studies/$studyId', params: { studyId: study.id } }),
});

function subjectPages({ study, subject }: Person, { words, open, t, navigate }: Search): Target[] {
  return SUBJECT_VIEWS.filter(({ label }) =>
    matchesPage(t(label), subject.displayName, open.subjectId === subject.id, words),
  ).map(({ to, label }) => ({
    id: `${to} ${subject.id}`,
    label: `${subject.displayName}: ${t(label)}`,
    detail: study.displayName,
    icon: 'page',
    run: () => void navigate({ to, params: { studyId: study.id, subjectId: subject.id } }),
  }));
}

function studyPages(study: Study, { words, open, t, can, navigate }: Search): Target[] {
  return STUDY_VIEWS.filter(
    (view) =>
      (!('needs' in view) || can(view.needs, study.id)) &&
      matchesPage(t(view.label), study.displayName, open.studyId === study.id, words),
  ).map(({ to, label }) => ({
    id: `${to} ${study.id}`,
    label: `${study.displayName}: ${t(label)}`,
    icon: 'page',
    run: () => void navigate({ to, params: { studyId: study.id } }),
  }));
}

/** Left out of an empty search: the sections are commands with keys of their own, and their pages would only fill the list. */
function sectionPages({ words, t, can, navigate }: Search): Target[] {
  if (words.length === 0) return [];
  return PAGES.filter((page) => page.isOpen || can('site.manage')).map(({ to, label, section }) => ({
    id: to,
    label: t(label),
    detail: t(section),
    icon: 'page',
    run: () => void navigate({ to }),
  }));
}

/** Tasks of the manual; left out of an empty search. */
function manualTargets({ words, navigate }: Search, language: Language): Target[] {
  if (words.length === 0) return [];
  return MANUAL.map(({ id, title }) => ({
    id: `manual ${id}`,
    label: title[language],
    icon: 'page',
    run: () => void navigate({ to: '/manual', search: { task: id } }),
  }));
}

/** Undefined until the subjects have loaded: targets that arrived later would move the list under the reader's eyes. */
export function useTargets(text: string): TargetSection[] | undefined {
  const { t, language, format } = useWords();
  const { user } = useSession();
  const navigate = useNavigate();
  const open = useParams({ strict: false });
  const can = usePermissions();
  const list = useQuery(studiesQuery(user.accountId));
  const studies = list.data ?? [];
  const subjects = useQueries({ queries: studies.map((study) => subjectsQuery(study.id)) });
  const dictionary = useQuery(metricDictionaryQuery());
  const commands = useCommandList().filter((command) => command.isEnabled !== false && command.id !== 'palette');
  if (list.isPending || subjects.some(({ isPending }) => isPending)) return undefined;

  const words = fold(text).split(/\s+/).filter(Boolean);
  const search: Search = { words, open, t, can, navigate };
  const isFound = (target: Target) => matchesWords(target, words);
  const people = studies.flatMap((study, index) =>
    (subjects[index]?.data?.items ?? [])
      .filter((subject) => !subject.isHidden)
      .map((subject): Person => ({ study, subject })),
  );
  const pages = [
    ...people.flatMap((person) => subjectPages(person, search)),
    ...studies.flatMap((study) => studyPages(study, search)),
    ...sectionPages(search).filter(isFound),
  ];
  // The commands of the screen come before those that work everywhere, and saved filters after them: there can be many.
  const actions = ['page', 'everywhere']
    .flatMap((scope) => commands.filter((command) => command.scope === scope))
    .sort((a, b) => Number(isSavedFilter(a)) - Number(isSavedFilter(b)))
    .map(({ id, label, keys, run }): Target => ({ id, label, keys, icon: 'right', run }));
  const values = labelValues([DEFAULT_ANALYSIS_PARAMETERS], format);
  const metrics = (words.length === 0 ? [] : (dictionary.data?.items ?? [])).map(
    ({ name }): Target => ({
      id: `metric ${name}`,
      label: metricLabel(name, t, values),
      detail: name,
      icon: 'info',
      run: () => void navigate({ to: '/manual/metrics', search: { metric: name } }),
    }),
  );
  return [
    {
      title: t('palette.subjects'),
      targets: people.map((person) => subjectTarget(person, navigate)).filter(isFound),
    },
    { title: t('palette.studies'), targets: studies.map((study) => studyTarget(study, navigate)).filter(isFound) },
    { title: t('palette.pages'), targets: pages },
    { title: t('palette.actions'), targets: actions.filter(isFound) },
    { title: t('palette.manual'), targets: manualTargets(search, language).filter(isFound) },
    { title: t('palette.metrics'), targets: metrics.filter(isFound) },
  ]
    .map((section) => ({ ...section, targets: section.targets.slice(0, MAX_PER_SECTION) }))
    .filter((section) => section.targets.length > 0);
}
