/** Onboarding: the steps from an empty site to a running study, shown until all are done. */
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { Study } from '../../../src-server/api/contract/index.ts';
import { fleetQuery } from '../../shared/api/equipment-queries.ts';
import { firstSubjectsQuery } from '../../shared/api/list-queries.ts';
import { isLocked } from '../../shared/api/permission-check.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useRole, useSession } from '../../shared/api/session.ts';
import { backupStatusQuery, usersQuery } from '../../shared/api/site-queries.ts';
import { definitionQuery } from '../../shared/api/study-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { buttonClass } from '../../shared/kit/controls.tsx';
import { Icon } from '../../shared/kit/icon.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import styles from './today.module.css';

const STEPS = ['create', 'build', 'enrol', 'start', 'pair', 'invite', 'disk'] as const;
type StepId = (typeof STEPS)[number];
/** Onboarding is over without them. */
const OPTIONAL: readonly StepId[] = ['invite', 'disk'];

interface Step {
  id: StepId;
  isDone: boolean;
  link: Pick<LinkProps, 'to' | 'params'>;
}

/** Returns the onboarding steps; none once the study runs with devices. */
export function useFirstSteps(studies: readonly Study[] | undefined): Step[] {
  const { user } = useSession();
  const role = useRole();
  const can = usePermissions();
  // With a second study, or a complete or archived one, the site is past onboarding.
  const [study, another] = studies ?? [];
  const isOver = another !== undefined || (study !== undefined && isLocked(study));
  const isFirst = studies !== undefined && !isOver && can('study.create');
  const definitionOptions = definitionQuery(study?.id ?? '');
  const { data: definition } = useQuery({
    ...definitionOptions,
    enabled: isFirst && study !== undefined,
  });
  const subjectOptions = firstSubjectsQuery(study?.id ?? '');
  const { data: subjects } = useQuery({
    ...subjectOptions,
    enabled: isFirst && study !== undefined,
  });
  const fleetOptions = fleetQuery(user.accountId);
  const { data: fleet } = useQuery({ ...fleetOptions, enabled: isFirst });
  const usersOptions = usersQuery(user.accountId);
  const { data: users } = useQuery({
    ...usersOptions,
    enabled: isFirst && role === 'ADMIN',
  });
  const { data: backups } = useQuery({ ...backupStatusQuery(), enabled: isFirst && role === 'ADMIN' });
  if (!isFirst || !fleet || (study && !(definition && subjects))) return [];
  // Assigned equipment shows that there are studies, only none that this person may see.
  if (!study && fleet.items.some(({ state }) => state === 'ASSIGNED')) return [];
  const params = { studyId: study?.id ?? '' };
  const inStudy = (to: LinkProps['to']): Step['link'] => (study ? { to, params } : { to: '/studies' });
  const done: Record<StepId, boolean> = {
    create: study !== undefined,
    build: (definition?.deviceConfigs?.length ?? 0) > 0 && (definition?.program?.tasks.length ?? 0) > 0,
    enrol: subjects?.items.some(({ isTest }) => !isTest) ?? false,
    start: study?.lifecycleState === 'IN_PROGRESS',
    pair: fleet.items.some(({ deviceId }) => deviceId !== undefined),
    invite: (users?.items.length ?? 0) > 1,
    disk: backups?.isOnSiteDisk === false,
  };
  const links: Record<StepId, Step['link']> = {
    create: { to: '/studies' },
    build: inStudy('/studies/$studyId/definition'),
    enrol: inStudy('/studies/$studyId/subjects'),
    start: inStudy('/studies/$studyId'),
    pair: { to: '/equipment/pair' },
    invite: { to: '/site/users' },
    disk: { to: '/site/backups' },
  };
  if (STEPS.every((id) => done[id] || OPTIONAL.includes(id))) return [];
  return STEPS.filter((id) => !OPTIONAL.includes(id) || role === 'ADMIN').map((id) => ({
    id,
    isDone: done[id],
    link: links[id],
  }));
}

export function FirstSteps({ steps }: { steps: readonly Step[] }) {
  const { t } = useWords();
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <section className={`${panelClass} ${styles.first}`} aria-label={t('firstSteps.title')}>
      <h2>{t('firstSteps.title')}</h2>
      <p>{t('firstSteps.help')}</p>
      <ol>
        {steps.map((step, index) => (
          <li key={step.id} data-done={step.isDone || undefined}>
            <span className={styles.number} aria-hidden="true">
              {step.isDone ? <Icon name="check" size={16} /> : index + 1}
            </span>
            <div>
              <strong>{t(`firstSteps.${step.id}.title`)}</strong>
              {step.isDone ? (
                <span className="visually-hidden">{t('firstSteps.done')}</span>
              ) : (
                <small>{t(`firstSteps.${step.id}.help`)}</small>
              )}
            </div>
            {!step.isDone && (step.id === next?.id || step.link.to !== next?.link.to) && (
              <Link {...step.link} className={buttonClass(step === next ? 'primary' : 'plain')}>
                {t(`firstSteps.${step.id}.action`)}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
