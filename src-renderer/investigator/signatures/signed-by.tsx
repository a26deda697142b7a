/** The signatures of the record of a page, and the button and command that add one. */
import { lazy, Suspense, useState } from 'react';
import { usePermissions } from '../../shared/api/permissions.ts';
import type { SignTarget } from '../../shared/api/signature-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { useCommands } from '../commands/commands.ts';
import { SignatureList } from './signature-list.tsx';
import styles from './signatures.module.css';

const SignDialog = lazy(async () => ({ default: (await import('./sign-dialog.tsx')).SignDialog }));

export function SignedBy({
  studyId,
  target,
  name,
  title,
}: {
  studyId: string;
  target: SignTarget;
  /** Of the record, in the dialog. */
  name: string;
  /** Default: that of signatures in general. */
  title?: string;
}) {
  const { t } = useWords();
  const maySign = usePermissions()('record.sign', studyId);
  const [isSigning, setSigning] = useState(false);
  const sign = () => setSigning(true);
  useCommands([
    {
      id: 'signatures.sign',
      label: t(`signatures.commands.${target.kind}`),
      scope: 'page',
      isEnabled: maySign,
      run: sign,
    },
  ]);
  return (
    <section className={`${panelClass} ${styles.panel}`} aria-label={title ?? t('signatures.title')}>
      <div className={styles.head}>
        <h2>{title ?? t('signatures.title')}</h2>
        {maySign && (
          <Button small icon="pencil" onPress={sign}>
            {t('signatures.sign')}
          </Button>
        )}
      </div>
      <SignatureList studyId={studyId} target={target} />
      <Suspense>
        {isSigning && <SignDialog studyId={studyId} target={target} name={name} onClose={() => setSigning(false)} />}
      </Suspense>
    </section>
  );
}
