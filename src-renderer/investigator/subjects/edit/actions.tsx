/** The actions on a subject that the person's role and the state of the study allow. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Subject } from '../../../../src-server/api/contract/index.ts';
import { usePermissions } from '../../../shared/api/permissions.ts';
import { studiesQuery } from '../../../shared/api/queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { loadWords, useWords } from '../../../shared/i18n/i18n.ts';
import { ActionMenu } from '../../../shared/kit/action-menu.tsx';
import { useCommands } from '../../commands/commands.ts';

const CopyDialog = lazy(async () => {
  await loadWords('erasure', 'exports');
  return { default: (await import('./copy-dialog.tsx')).CopyDialog };
});
const EraseDialog = lazy(async () => {
  await loadWords('erasure');
  return { default: (await import('./erase-dialog.tsx')).EraseDialog };
});
const HideDialog = lazy(async () => ({ default: (await import('./hide-dialog.tsx')).HideDialog }));
const NoteDialog = lazy(async () => {
  await loadWords('notes');
  return { default: (await import('../../notes/note-dialog.tsx')).NoteDialog };
});
const SubjectDialog = lazy(async () => ({ default: (await import('./subject-dialog.tsx')).SubjectDialog }));
const TokenDialog = lazy(async () => ({ default: (await import('./token-dialog.tsx')).TokenDialog }));

export function SubjectActions({ subject }: { subject: Subject }) {
  const { t } = useWords();
  const { user } = useSession();
  const can = usePermissions();
  const studies = useQuery(studiesQuery(user.accountId));
  // The permissions leave out what a complete, archived or locked study refuses. The right to erasure outlives the study.
  const study = studies.data?.find(({ id }) => id === subject.studyId);
  const [open, setOpen] = useState<'note' | 'edit' | 'token' | 'hide' | 'copy' | 'erase' | null>(null);
  const navigate = useNavigate();
  const openRecord = () =>
    void navigate({
      to: '/studies/$studyId/subjects/$subjectId/record',
      params: { studyId: subject.studyId, subjectId: subject.id },
    });
  const actions = [
    { id: 'note' as const, operation: 'note.write' as const, label: t('subjectActions.note') },
    { id: 'record' as const, operation: 'recording.import' as const, label: t('subjectActions.record') },
    { id: 'edit' as const, operation: 'subject.update' as const, label: t('subjectActions.edit') },
    { id: 'token' as const, operation: 'subject.token' as const, label: t('subjectActions.token') },
    {
      id: 'hide' as const,
      operation: 'subject.update' as const,
      label: t(subject.isHidden ? 'subjectActions.show' : 'subjectActions.hide'),
    },
    { id: 'copy' as const, operation: 'subject.copy' as const, label: t('subjectActions.copy') },
    { id: 'erase' as const, operation: 'subject.erase' as const, label: t('subjectActions.erase') },
  ]
    .filter(({ operation }) => can(operation, subject.studyId))
    .map(({ id, label }) => ({ id, label, run: () => (id === 'record' ? openRecord() : setOpen(id)) }));
  useCommands(
    actions.map((action) => ({
      ...action,
      id: `subject.${action.id}`,
      scope: 'page' as const,
      ...(action.id === 'note' && { keys: ['N'] }),
      isEnabled: study !== undefined,
    })),
  );
  if (!study || actions.length === 0) return null;
  const close = () => setOpen(null);
  return (
    <>
      <ActionMenu label={t('subjectActions.menu')} actions={actions} />
      <Suspense>
        {open === 'note' && (
          <NoteDialog
            place={{ studyId: subject.studyId, subjectId: subject.id }}
            name={subject.displayName}
            onClose={close}
          />
        )}
        {open === 'edit' && <SubjectDialog studies={[study]} subject={subject} onClose={close} />}
        {open === 'token' && <TokenDialog subject={subject} onClose={close} />}
        {open === 'copy' && <CopyDialog subject={subject} onClose={close} />}
        {open === 'erase' && <EraseDialog subject={subject} onClose={close} />}
        {open === 'hide' && <HideDialog subject={subject} onClose={close} />}
      </Suspense>
    </>
  );
}
