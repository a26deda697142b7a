/** Lost and damaged files of the site, where there are any, and taking exactly them from backups. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { LostFile } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { lostFilesQuery } from '../../../shared/api/site-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button } from '../../../shared/kit/controls.tsx';
import { FormProblem } from '../../../shared/kit/form-dialog.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import styles from '../site.module.css';

const PassphraseDialog = lazy(async () => ({
  default: (await import('./encryption/key-dialogs.tsx')).PassphraseDialog,
}));

const card = `${panelClass} ${styles.card}`;
const SHOWN = 10;

function FileLine({ item }: { item: LostFile }) {
  const { t, format } = useWords();
  const { copy, subjectName, startTs, file, sizeBytes, state } = item;
  const name = subjectName === undefined || startTs === undefined ? file : `${subjectName}, ${format.moment(startTs)}`;
  const where =
    copy === undefined
      ? t('lostFiles.noCopy')
      : copy.createdTs === undefined
        ? t('lostFiles.inFolder', { directory: copy.directory })
        : t('lostFiles.inBackup', { time: format.moment(copy.createdTs) });
  return (
    <li>
      {name} ({format.bytes(sizeBytes)}) – {t(`lostFiles.state.${state}`)}{' '}
      <small className={styles.hint}>{where}</small>
    </li>
  );
}

export function LostFiles() {
  const { t, format } = useWords();
  const queries = useQueryClient();
  const items = useQuery(lostFilesQuery()).data?.items ?? [];
  const [isAsking, setAsking] = useState(false);
  const putBack = useMutation({
    mutationFn: (passphrase?: string) =>
      client.call('returnLostFiles', { body: passphrase === undefined ? {} : { passphrase } }),
    onSuccess: () => {
      setAsking(false);
      void queries.invalidateQueries({ queryKey: ['job'] });
    },
  });
  const found = items.filter(({ copy }) => copy !== undefined);
  const isLocked = found.some(({ copy }) => copy?.isEncrypted);
  const { data } = putBack;
  if (items.length === 0 && !data) return null;
  return (
    <section className={card} aria-label={t('lostFiles.title')}>
      <div className={styles.cardHead}>
        <h2>{t('lostFiles.title')}</h2>
        {found.length > 0 && (
          <Button
            kind="primary"
            isDisabled={putBack.isPending}
            onPress={() => (isLocked ? setAsking(true) : putBack.mutate(undefined))}
          >
            {putBack.isPending ? t('form.busy') : t('lostFiles.putBack', { count: found.length })}
          </Button>
        )}
      </div>
      {items.length > 0 && <p className={styles.hint}>{t('lostFiles.help')}</p>}
      <ul className={styles.problems}>
        {items.slice(0, SHOWN).map((item) => (
          <FileLine key={item.file} item={item} />
        ))}
      </ul>
      {items.length > SHOWN && <small>{t('lostFiles.more', { count: items.length - SHOWN })}</small>}
      {!isAsking && <FormProblem error={putBack.error} />}
      <div role="status">
        {data && data.returned > 0 && <Notice tone="good">{t('lostFiles.done', { count: data.returned })}</Notice>}
        {data && data.failed.length > 0 && (
          <Notice tone="bad">{t('lostFiles.failed', { files: data.failed.map(({ file }) => file).join(', ') })}</Notice>
        )}
      </div>
      <small className={styles.hint}>{found.length < items.length && t('lostFiles.otherwise')}</small>
      <Suspense>
        {isAsking && (
          <PassphraseDialog
            title={t('lostFiles.putBack', { count: found.length })}
            intro={t('lostFiles.passphraseIntro', { size: format.bytes(sizeOf(found)) })}
            mutation={putBack}
            onSubmit={(passphrase) => putBack.mutate(passphrase)}
            onClose={() => setAsking(false)}
          />
        )}
      </Suspense>
    </section>
  );
}

const sizeOf = (files: readonly LostFile[]) => files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
