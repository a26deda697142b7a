/** The recordings of a subject: what was recorded when and where, to open and to download. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useLongList } from '../../shared/api/long-list.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { recordingPagesQuery, subjectQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { useColumnChoice } from '../../shared/kit/column-choice.tsx';
import { buttonClass } from '../../shared/kit/controls.tsx';
import { DataTable } from '../../shared/kit/data-table.tsx';
import { Checkbox } from '../../shared/kit/forms.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { SubjectLink } from '../subjects/subject-link.tsx';
import { useRecordingColumns } from './recording-columns.tsx';
import styles from './recordings.module.css';

export function Recordings() {
  const { t, format } = useWords();
  const { studyId, subjectId } = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/recordings' });
  const recordings = useLongList(recordingPagesQuery(studyId, subjectId));
  const subject = useQuery(subjectQuery(studyId, subjectId)).data;
  const timeZone = subject?.timezone ?? 'UTC';
  const known = recordings.items.length;
  const total = recordings.hasMore ? (subject?.summary?.countRecordings ?? known) : known;
  const can = usePermissions();
  const mayExport = can('recording.export', studyId);
  const record = can('recording.import', studyId) && (
    <Link
      to="/studies/$studyId/subjects/$subjectId/record"
      params={{ studyId, subjectId }}
      className={buttonClass('plain')}
    >
      {t('subjectActions.record')}
    </Link>
  );
  const [isDeidentified, setDeidentified] = useState(false);
  const { columns, chooser } = useColumnChoice(
    'recordings',
    useRecordingColumns({ studyId, subjectId, timeZone, mayExport, isDeidentified }),
  );
  return (
    <QueryView query={recordings.query}>
      {() =>
        recordings.items.length === 0 ? (
          <Empty icon="page" title={t('recordings.emptyTitle')} help={t('recordings.emptyHelp')}>
            <SubjectLink view="coverage" studyId={studyId} subjectId={subjectId} />
            {record}
          </Empty>
        ) : (
          <div className={styles.list}>
            <div className={styles.head}>
              <p>{t('recordings.summary', { count: total, value: format.number(total) })}</p>
              <span className={styles.does}>
                {chooser}
                {record}
              </span>
            </div>
            {mayExport && (
              <Checkbox
                label={t('recordings.deidentified')}
                help={t('recordings.deidentifiedHelp')}
                isSelected={isDeidentified}
                onChange={setDeidentified}
              />
            )}
            <DataTable
              caption={t('recordings.title')}
              rows={recordings.items}
              list={recordings}
              columns={columns}
              rowId={(row) => row.id}
              initialSort={{ id: 'start', desc: true }}
            />
          </div>
        )
      }
    </QueryView>
  );
}
