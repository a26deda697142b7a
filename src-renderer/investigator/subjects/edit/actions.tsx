/** What can be done with a subject, by the role of whoever looks and the state of the study. */
import { useState } from 'react';
import type { Subject } from '../../../../src-server/api/contract/index.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { ActionMenu } from '../../../shared/kit/action-menu.tsx';
import { useCommands } from '../../commands/commands.ts';
import { HideDialog } from './hide-dialog.tsx';
import { useOpenStudies } from './open-studies.ts';
import { SubjectDialog } from './subject-dialog.tsx';
import { TokenDialog } from './token-dialog.tsx';

export function SubjectActions({ subject }: { subject: Subject }) {
  const { t } = useWords();
  const study = useOpenStudies().find(({ id }) => id === subject.studyId);
  const [open, setOpen] = useState<'edit' | 'token' | 'hide' | null>(null);
  const actions = [
    { id: 'edit' as const, label: t('subjectActions.edit') },
    { id: 'token' as const, label: t('subjectActions.token') },
    { id: 'hide' as const, label: t(subject.isHidden ? 'subjectActions.show' : 'subjectActions.hide') },
  ].map((action) => ({ ...action, run: () => setOpen(action.id) }));
  useCommands(
    actions.map((action) => ({
      ...action,
      id: `subject.${action.id}`,
      scope: 'page' as const,
      isEnabled: study !== undefined,
    })),
  );
  if (!study) return null;
  const close = () => setOpen(null);
  return (
    <>
      <ActionMenu label={t('subjectActions.menu')} actions={actions} />
      {open === 'edit' && <SubjectDialog studies={[study]} subject={subject} onClose={close} />}
      {open === 'token' && <TokenDialog subject={subject} onClose={close} />}
      {open === 'hide' && <HideDialog subject={subject} onClose={close} />}
    </>
  );
}
