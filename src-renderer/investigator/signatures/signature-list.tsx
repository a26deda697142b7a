/** The signatures of one record: who, when, in which meaning, and whether each still holds. */
import { useQuery } from '@tanstack/react-query';
import { type SignTarget, signaturesQuery } from '../../shared/api/signature-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { QueryView } from '../../shared/kit/state.tsx';
import { SignatureState } from './signature-state.tsx';
import styles from './signatures.module.css';

export function SignatureList({ studyId, target }: { studyId: string; target: SignTarget }) {
  const { t, format } = useWords();
  const query = useQuery(signaturesQuery(studyId, target));
  return (
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
  );
}
