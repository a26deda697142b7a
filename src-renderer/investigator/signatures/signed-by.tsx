/** The signatures of one record, below it, and the button that adds one. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { usePermissions } from '../../shared/api/permissions.ts';
import { type SignTarget, signaturesQuery } from '../../shared/api/signature-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import { SignatureState } from './signature-state.tsx';
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
  const { t, format } = useWords();
  const can = usePermissions();
  const [isSigning, setSigning] = useState(false);
  const query = useQuery(signaturesQuery(studyId, target));
  return (
    <section className={`${panelClass} ${styles.panel}`} aria-label={title ?? t('signatures.title')}>
      <div className={styles.head}>
        <h2>{title ?? t('signatures.title')}</h2>
        {can('record.sign', studyId) && (
          <Button small icon="pencil" onPress={() => setSigning(true)}>
            {t('signatures.sign')}
          </Button>
        )}
      </div>
      <QueryView query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={styles.none}>{t('signatures.none')}</p>
          ) : (
            <ul className={styles.list}>
              {items.map((signature) => (
                <li key={signature.id}>
                  <strong>{t(`signatures.meanings.${signature.meaning}`)}</strong>
                  <span>
                    {t('signatures.by', { name: signature.signerName, time: format.dateTime(signature.signedTs) })}
                  </span>
                  <SignatureState signature={signature} />
                  {signature.comment && <small>{signature.comment}</small>}
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
      <Suspense>
        {isSigning && <SignDialog studyId={studyId} target={target} name={name} onClose={() => setSigning(false)} />}
      </Suspense>
    </section>
  );
}
