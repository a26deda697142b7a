/** Where the palette leads: subjects, studies, their pages and those of the site, and what the page at hand can do. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { usePermissions } from '../../shared/api/permissions.ts';
import { studiesQuery, subjectsQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { fold } from '../../shared/i18n/format.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import type { IconName } from '../../shared/kit/icon.tsx';
import { useCommandList } from '../commands/commands.ts';
import { SITE_TABS } from '../site/site-page.tsx';
import { STUDY_VIEWS, SUBJECT_VIEWS } from '../studies/views.ts';

export interface Target {
  id: string;
  label: string;
  detail?: string;
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
  { to: '/account', label: 'account.yours', section: 'account.menu', isOpen: true },
] as const;

const SHOWN = 8;

/** Every word of the text is somewhere in the label or its detail. */
function isWanted(target: Target, words: readonly string[]): boolean {
  const hay = fold(`${target.label} ${target.detail ?? ''}`);
  return words.every((word) => hay.includes(word));
}

/**
 * A page of a subject or a study is wanted by its own name together with that of its owner; of the owner that is open, by its
 * own name alone. Otherwise each name would bring all its pages.
 */
function isPageWanted(page: string, owner: string, isOpen: boolean, words: readonly string[]): boolean {
  const [pageHay, ownerHay] = [fold(page), fold(owner)];
  return (
    words.every((word) => pageHay.includes(word) || ownerHay.includes(word)) &&
    words.some((word) => pageHay.includes(word) && !ownerHay.includes(word)) &&
    (isOpen || words.some((word) => ownerHay.includes(word)))
  );
}

/** Undefined until the subjects are known: what comes later would push the list away from under the eyes. */
export function useTargets(text: string): TargetSection[] | undefined {
  const { t } = useWords();
  const { user } = useSession();
  const navigate = useNavigate();
  const open = useParams({ strict: false });
  const can = usePermissions();
  const list = useQuery(studiesQuery(user.accountId));
  const studies = list.data ?? [];
  const subjects = useQueries({ queries: studies.map((study) => subjectsQuery(study.id)) });
  const commands = useCommandList().filter((command) => command.isEnabled !== false && command.id !== 'palette');
  if (list.isPending || subjects.some(({ isPending }) => isPending)) return undefined;

  const words = fold(text).split(/\s+/).filter(Boolean);
  const isFound = (target: Target) => isWanted(target, words);
  const people = studies.flatMap((study, index) =>
    (subjects[index].data?.items ?? [])
      .filter((subject) => !subject.isHidden)
      .map((subject) => ({ study, subject, params: { studyId: study.id, subjectId: subject.id } })),
  );

  const ofSubjects = people.flatMap(({ study, subject, params }) =>
    SUBJECT_VIEWS.filter(({ label }) =>
      isPageWanted(t(label), subject.displayName, open.subjectId === subject.id, words),
    ).map(
      ({ to, label }): Target => ({
        id: `${to} ${subject.id}`,
        label: `${subject.displayName}: ${t(label)}`,
        detail: study.displayName,
        icon: 'page',
        run: () => void navigate({ to, params }),
      }),
    ),
  );
  const ofStudies = studies.flatMap((study) =>
    STUDY_VIEWS.filter(
      (view) =>
        (!('needs' in view) || can(view.needs, study.id)) &&
        isPageWanted(t(view.label), study.displayName, open.studyId === study.id, words),
    ).map(
      ({ to, label }): Target => ({
        id: `${to} ${study.id}`,
        label: `${study.displayName}: ${t(label)}`,
        icon: 'page',
        run: () => void navigate({ to, params: { studyId: study.id } }),
      }),
    ),
  );
  // The sections are actions with keys of their own; on an unwritten search the pages would only make the list long.
  const ofSections = (words.length === 0 ? [] : PAGES.filter((page) => page.isOpen || can('site.manage')))
    .map(
      ({ to, label, section }): Target => ({
        id: to,
        label: t(label),
        detail: t(section),
        icon: 'page',
        run: () => void navigate({ to }),
      }),
    )
    .filter(isFound);

  // What the page at hand can do comes before what is possible everywhere.
  const actions = ['page', 'everywhere'].flatMap((scope) => commands.filter((command) => command.scope === scope));
  return [
    {
      title: t('palette.subjects'),
      targets: people
        .map(
          ({ study, subject, params }): Target => ({
            id: subject.id,
            label: subject.displayName,
            detail: study.displayName,
            icon: 'subjects',
            run: () => void navigate({ to: '/studies/$studyId/subjects/$subjectId/days', params }),
          }),
        )
        .filter(isFound),
    },
    {
      title: t('palette.studies'),
      targets: studies
        .map(
          (study): Target => ({
            id: study.id,
            label: study.displayName,
            detail: study.title,
            icon: 'studies',
            run: () => void navigate({ to: '/studies/$studyId', params: { studyId: study.id } }),
          }),
        )
        .filter(isFound),
    },
    { title: t('palette.pages'), targets: [...ofSubjects, ...ofStudies, ...ofSections] },
    {
      title: t('palette.actions'),
      targets: actions
        .map(({ id, label, keys, run }): Target => ({ id, label, keys, icon: 'right', run }))
        .filter(isFound),
    },
  ]
    .map((section) => ({ ...section, targets: section.targets.slice(0, SHOWN) }))
    .filter((section) => section.targets.length > 0);
}
