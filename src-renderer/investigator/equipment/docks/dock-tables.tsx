/** Tables of plugged-in recorders and of watched folders. Each renders nothing while there are none. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Docks } from '../../../../src-server/api/contract/index.ts';
import { studiesQuery } from '../../../shared/api/queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Pill } from '../../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../../shared/kit/data-table.tsx';
import styles from '../equipment.module.css';
import { unreadableTexts } from './transfer-columns.tsx';

type Drive = Docks['docks'][number];
type Folder = Docks['folders'][number];

export function DriveTable({ docks }: { docks: Drive[] }) {
  const { t, format } = useWords();
  const columns = useMemo(
    (): Column<Drive>[] => [
      {
        id: 'drive',
        header: t('docks.drive'),
        value: ({ label }) => label,
        cell: ({ label, model, serial }) => (
          <>
            {label} <Faint>{[model, serial].filter(Boolean).join(' ')}</Faint>
          </>
        ),
      },
      {
        id: 'holds',
        header: t('docks.holds'),
        value: ({ state }) => state,
        cell: ({ state, sizeBytes }) => (
          <>
            {t(`docks.driveStates.${state}`)} {state === 'RECORDING' && <Faint>{format.bytes(sizeBytes)}</Faint>}
          </>
        ),
      },
      {
        id: 'clear',
        header: t('docks.state'),
        value: ({ mayClear }) => Number(mayClear),
        cell: ({ state, mayClear }) =>
          state === 'EMPTY' || (
            <Pill tone={mayClear ? 'good' : 'warn'}>{mayClear ? t('docks.mayClear') : t('docks.keep')}</Pill>
          ),
      },
    ],
    [t, format],
  );
  if (docks.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2>{t('docks.drives')}</h2>
      <p>{t('docks.clearHelp')}</p>
      <DataTable
        caption={t('docks.drives')}
        rows={docks}
        columns={columns}
        rowId={({ label, serial }) => `${label} ${serial}`}
        initialSort={{ id: 'drive', desc: false }}
      />
    </section>
  );
}

export function FolderTable({ folders }: { folders: Folder[] }) {
  const words = useWords();
  const { t, format } = words;
  const { user } = useSession();
  const studies = useQuery(studiesQuery(user.accountId)).data;
  const columns = useMemo((): Column<Folder>[] => {
    const counted = (id: 'recordings' | 'growing' | 'foreign' | 'unreadable', header: string): Column<Folder> => ({
      id,
      header,
      isNumber: true,
      value: (folder) => folder[id],
      cell: (folder) => format.number(folder[id]),
    });
    return [
      {
        id: 'folder',
        header: t('docks.folder'),
        value: ({ path }) => path,
        cell: ({ path, studyId, isThere, isCut, unreadableFiles }) => (
          <span className={styles.wrapped}>
            {path} <Faint>{studies?.find(({ id }) => id === studyId)?.displayName}</Faint>{' '}
            {!isThere && <Pill tone="bad">{t('docks.away')}</Pill>}
            {isCut && <Pill tone="warn">{t('docks.cut')}</Pill>}
            {unreadableTexts(unreadableFiles, words).map((text) => (
              <span key={text} className={styles.wrapped}>
                <Faint>{text}</Faint>
              </span>
            ))}
          </span>
        ),
      },
      {
        id: 'action',
        header: t('equipment.action'),
        value: ({ action }) => action,
        cell: ({ action }) => t(`docks.actionNames.${action}`),
      },
      counted('recordings', t('docks.folderFiles')),
      counted('growing', t('docks.growing')),
      counted('foreign', t('docks.foreign')),
      counted('unreadable', t('docks.unreadable')),
    ];
  }, [words, t, format, studies]);
  if (folders.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2>{t('docks.folders')}</h2>
      <DataTable
        caption={t('docks.folders')}
        rows={folders}
        columns={columns}
        rowId={({ path }) => path}
        initialSort={{ id: 'folder', desc: false }}
      />
    </section>
  );
}
