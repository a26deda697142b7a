import { useBlocker } from '@tanstack/react-router';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { FormDialog } from '../../../shared/kit/form-dialog.tsx';

/** Asks for confirmation before unsaved changes are discarded by leaving the page. */
export function LeaveDialog({ isChanged }: { isChanged: boolean }) {
  const { t } = useWords();
  const blocker = useBlocker({
    shouldBlockFn: () => isChanged,
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <FormDialog
      title={t('builder.leaveTitle')}
      intro={t('builder.leaveHelp')}
      submitLabel={t('builder.leave')}
      onClose={() => blocker.reset()}
      onSubmit={() => blocker.proceed()}
    />
  );
}
