import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { StudyDetail } from '../../../../src-server/api/contract/index.ts';
import { usePermissions } from '../../../shared/api/permissions.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { ActionMenu } from '../../../shared/kit/action-menu.tsx';
import { Button } from '../../../shared/kit/controls.tsx';
import { useCommands } from '../../commands/commands.ts';
import { type Step, stepsOf } from './steps.ts';

const StepDialog = lazy(async () => ({ default: (await import('./step-dialog.tsx')).StepDialog }));
const LockDialog = lazy(async () => ({ default: (await import('./lock-dialog.tsx')).LockDialog }));
const StudyNameDialog = lazy(async () => ({ default: (await import('./rename-dialog.tsx')).StudyNameDialog }));

/** The lifecycle actions of a study: the next step as a button, the others in a menu before it. */
export function StudyActions({ study }: { study: StudyDetail }) {
  const { t } = useWords();
  const can = usePermissions();
  const navigate = useNavigate();
  const [open, setOpen] = useState<Step | 'rename' | 'duplicate' | 'lock' | null>(null);
  const steps = stepsOf(study, (operation) => can(operation, study.id));
  const mayRename = can('study.update', study.id) && study.lifecycleState !== 'COMPLETE';
  const [next, ...others] = steps;
  const actions = [
    ...(mayRename ? [{ id: 'rename' as const, label: t('lifecycle.rename') }] : []),
    ...(can('study.create') ? [{ id: 'duplicate' as const, label: t('studyForm.duplicate') }] : []),
    ...(can('study.lock', study.id)
      ? [{ id: 'lock' as const, label: t(`lock.${study.lockedTs === undefined ? 'lock' : 'unlock'}.action`) }]
      : []),
    ...others.map((step) => ({ id: step, label: t(`lifecycle.${step}.action`) })),
  ].map((action) => ({ ...action, run: () => setOpen(action.id) }));
  useCommands([
    ...actions.map((action) => ({ ...action, id: `study.${action.id}`, scope: 'page' as const })),
    ...(next
      ? [
          {
            id: `study.${next}`,
            label: t(`lifecycle.${next}.action`),
            scope: 'page' as const,
            run: () => setOpen(next),
          },
        ]
      : []),
  ]);
  const close = () => setOpen(null);
  return (
    <>
      {actions.length > 0 && <ActionMenu label={t('lifecycle.menu')} actions={actions} />}
      {next && <Button onPress={() => setOpen(next)}>{t(`lifecycle.${next}.action`)}</Button>}
      <Suspense>
        {open === 'rename' && <StudyNameDialog study={study} onClose={close} />}
        {open === 'duplicate' && (
          <StudyNameDialog
            source={study}
            onClose={close}
            onCreated={(studyId) => void navigate({ to: '/studies/$studyId/definition', params: { studyId } })}
          />
        )}
        {open === 'lock' && <LockDialog study={study} onClose={close} />}
        {open && open !== 'rename' && open !== 'duplicate' && open !== 'lock' && (
          <StepDialog study={study} step={open} onClose={close} />
        )}
      </Suspense>
    </>
  );
}
