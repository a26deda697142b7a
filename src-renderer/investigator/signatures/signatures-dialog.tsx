/** The signatures of one record of a list, and the form that adds one. */
import { useState } from 'react';
import { usePermissions } from '../../shared/api/permissions.ts';
import type { SignTarget } from '../../shared/api/signature-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { InfoDialog } from '../../shared/kit/form-dialog.tsx';
import { SignDialog } from './sign-dialog.tsx';
import { SignatureList } from './signature-list.tsx';

export function SignaturesDialog({
  studyId,
  target,
  name,
  startsSigning,
  onClose,
}: {
  studyId: string;
  target: SignTarget;
  name: string;
  /** Opens with the form: there are no signatures to show yet. */
  startsSigning: boolean;
  onClose: () => void;
}) {
  const { t } = useWords();
  const maySign = usePermissions()('record.sign', studyId);
  const [isSigning, setSigning] = useState(startsSigning);
  if (isSigning) {
    return <SignDialog {...{ studyId, target, name }} onClose={startsSigning ? onClose : () => setSigning(false)} />;
  }
  return (
    <InfoDialog title={t('signatures.of', { name })} onClose={onClose}>
      <SignatureList studyId={studyId} target={target} />
      {maySign && (
        <p>
          <Button icon="pencil" onPress={() => setSigning(true)}>
            {t('signatures.sign')}
          </Button>
        </p>
      )}
    </InfoDialog>
  );
}
