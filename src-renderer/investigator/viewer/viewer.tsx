/** The page of one recording: its title with length and gaps, and the viewer of its raw signals. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { RecordingOverview } from '../../../src-server/api/contract/index.ts';
import { recordingOverviewQuery, recordingsBesideQuery, subjectQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { QueryView, SkeletonBlocks } from '../../shared/kit/state.tsx';
import { PrintRecord } from '../history/print-record.tsx';
import { usePlacement } from '../recordings/sensor-words.ts';
import { isElectric } from './data/samples.ts';
import { MissingRecording } from './missing-recording.tsx';
import { RecordingViewer } from './recording-viewer.tsx';
import styles from './viewer.module.css';

export function Viewer() {
  const { t, format } = useWords();
  const from = '/desk/studies/$studyId/subjects/$subjectId/recordings/$recordingId' as const;
  const { studyId, subjectId, recordingId } = useParams({ from });
  const { at } = useSearch({ from });
  const recordings = useQuery(recordingsBesideQuery(studyId, subjectId, recordingId));
  const subject = useQuery(subjectQuery(studyId, subjectId));
  const overview = useQuery(recordingOverviewQuery(studyId, recordingId));
  const placement = usePlacement();
  const recording = recordings.data?.items.find(({ id }) => id === recordingId);
  const timeZone = subject.data?.timezone;
  /** Number and total length of the gaps in the first electric channel, or else in the first channel. */
  const gapsText = ({ channels }: RecordingOverview) => {
    const { gaps } = channels.find(({ type }) => isElectric(type)) ?? channels[0] ?? { gaps: [] };
    const lengthMs = gaps.reduce((sum, { startTs, stopTs }) => sum + stopTs - startTs, 0);
    return gaps.length === 0
      ? t('viewer.noGaps')
      : t('viewer.gaps', {
          count: gaps.length,
          number: format.number(gaps.length),
          length: format.duration(lengthMs / 1000),
        });
  };
  if (recordings.data && !recording) return <MissingRecording />;
  return (
    <QueryView query={overview} skeleton={<SkeletonBlocks heights={['4rem', '4rem', '20rem']} />}>
      {(data) =>
        recording &&
        timeZone &&
        subject.data && (
          <>
            <h2 className={styles.title}>
              {placement(recording.physicalConfig)}
              <small>
                {format.dateTime(recording.recordingStartTs, timeZone)} ·{' '}
                {format.duration((recording.recordingStopTs - recording.recordingStartTs) / 1000)} · {gapsText(data)}
              </small>
              <Link to="/studies/$studyId/subjects/$subjectId/recordings" params={{ studyId, subjectId }}>
                {t('viewer.allRecordings')}
              </Link>
              <PrintRecord
                studyId={studyId}
                type="recording"
                id={recordingId}
                name={placement(recording.physicalConfig)}
              />
            </h2>
            <RecordingViewer
              recording={recording}
              recordings={recordings.data?.items ?? []}
              overview={data}
              subject={subject.data}
              atMs={at}
              key={recording.id}
            />
          </>
        )
      }
    </QueryView>
  );
}
