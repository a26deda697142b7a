/** Upload progress of each device: bytes received, recordings verified, recordings analysed. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { UploadProgress } from '../../../../src-server/api/contract/index.ts';
import { uploadProgressQuery } from '../../../shared/api/equipment-queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Pill } from '../../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../../shared/kit/data-table.tsx';
import { ProgressBar } from '../../../shared/kit/progress.tsx';
import { timeCell } from '../columns.tsx';
import { useSenders } from '../device-names.ts';
import styles from '../equipment.module.css';
import { EquipmentLink } from '../links.tsx';

function Step({ label, text, done, total }: { label: string; text: string; done: number; total: number }) {
  return (
    <div className={styles.step}>
      {text}
      {done < total && <ProgressBar label={label} done={done} total={total} />}
    </div>
  );
}

/** Upload progress per device; renders nothing while there is none. */
export function UploadProgressTable() {
  const words = useWords();
  const { t, format } = words;
  const { user } = useSession();
  const { data } = useQuery(uploadProgressQuery(user.accountId));
  const { items: names, nameOf } = useSenders();
  const columns = useMemo((): Column<UploadProgress>[] => {
    const counted = (id: 'verified' | 'analysed', header: string): Column<UploadProgress> => ({
      id,
      header,
      value: (item) => item[id],
      cell: (item) =>
        item.recordings === 0 ? (
          <Faint>{t('uploads.noFiles')}</Faint>
        ) : (
          <Step
            label={header}
            text={t('uploads.ofRecordings', { done: item[id], count: item.recordings })}
            done={item[id]}
            total={item.recordings}
          />
        ),
    });
    return [
      {
        id: 'device',
        header: t('uploads.from'),
        value: ({ deviceId }) => nameOf(deviceId),
        cell: ({ deviceId, blocked }) => (
          <div className={styles.step}>
            <span>
              {names.has(deviceId) ? <EquipmentLink id={deviceId} name={nameOf(deviceId)} /> : nameOf(deviceId)}
            </span>
            {blocked > 0 && <Pill tone="warn">{t('uploads.blocked', { count: blocked })}</Pill>}
          </div>
        ),
      },
      {
        id: 'received',
        header: t('uploads.progressReceived'),
        value: (item) => item.receivedBytes,
        cell: (item) =>
          item.recordings === 0 ? (
            <Faint>{t('uploads.noFiles')}</Faint>
          ) : (
            <Step
              label={t('uploads.progressReceived')}
              text={t('uploads.received', {
                done: format.bytes(item.receivedBytes),
                total: format.bytes(item.sizeBytes),
              })}
              done={item.receivedBytes}
              total={item.sizeBytes}
            />
          ),
      },
      counted('verified', t('uploads.progressVerified')),
      counted('analysed', t('uploads.progressAnalysed')),
      {
        id: 'last',
        header: t('uploads.lastProgress'),
        isNumber: true,
        value: (item) => item.lastTs,
        cell: (item) => timeCell(words, item.lastTs),
      },
    ];
  }, [words, t, format, names, nameOf]);
  if (!data || data.items.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2>{t('uploads.progressTitle')}</h2>
      <p>{t('uploads.progressHelp')}</p>
      <DataTable
        caption={t('uploads.progressTitle')}
        rows={data.items}
        columns={columns}
        rowId={({ deviceId }) => deviceId}
        initialSort={{ id: 'last', desc: true }}
      />
    </section>
  );
}
