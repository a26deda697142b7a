/** What this browser still holds of the signed-in user, how far it is sent, and what the site has got from this page. */
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Pill } from '../../shared/kit/controls.tsx';
import { FormDialog } from '../../shared/kit/form-dialog.tsx';
import { ProgressBar } from '../../shared/kit/progress.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import type { RecordingRow } from '../../shared/sensors/recording-store.ts';
import { useStore } from '../../shared/store.ts';
import styles from './record.module.css';
import type { Delivered, DeskRecordings } from './recordings.ts';
import { useCodeWords } from './words.ts';

interface Props {
  recordings: DeskRecordings;
  subject: { studyId: string; subjectId: string };
}

export function Waiting({ recordings, subject }: Props) {
  const { t } = useWords();
  const { waiting, delivered, recoveredIds } = useStore(recordings.state);
  const queries = useQueryClient();
  const [removing, setRemoving] = useState<RecordingRow>();
  const isOwn = ({ place }: RecordingRow) => place?.subjectId === subject.subjectId;
  const own = waiting.filter(isOwn);
  const sent = delivered.filter(({ row }) => isOwn(row));
  const wasRecovered = [...own, ...sent.map(({ row }) => row)].some(({ recordingId }) =>
    recoveredIds.includes(recordingId),
  );
  const others = waiting.length - own.length;
  const sentCount = sent.length;
  useEffect(() => {
    if (sentCount > 0) void queries.invalidateQueries();
  }, [queries, sentCount]);
  if (own.length + sent.length + others === 0) return null;
  return (
    <aside className={styles.waiting}>
      {wasRecovered && <Notice tone="info">{t('live.recovered')}</Notice>}
      {own.length > 0 && (
        <section>
          <h3>{t('live.waiting')}</h3>
          <p className={styles.small}>{t('live.waitingHelp')}</p>
          <ul>
            {own.map((row) => (
              <WaitingRow key={row.recordingId} row={row} recordings={recordings} onRemove={() => setRemoving(row)} />
            ))}
          </ul>
        </section>
      )}
      {sent.length > 0 && (
        <section>
          <h3>{t('live.sent')}</h3>
          <ul>
            {sent.toReversed().map((one) => (
              <SentRow key={one.row.recordingId} sent={one} subject={subject} />
            ))}
          </ul>
        </section>
      )}
      {others > 0 && <p className={styles.small}>{t('live.otherSubjects', { count: others })}</p>}
      {removing && (
        <FormDialog
          title={t('live.removeTitle')}
          submitLabel={t('live.remove')}
          onSubmit={() => {
            void recordings.remove(removing.recordingId);
            setRemoving(undefined);
          }}
          onClose={() => setRemoving(undefined)}
        >
          <p>{t('live.removeEffect')}</p>
        </FormDialog>
      )}
    </aside>
  );
}

function usePartName(): (row: RecordingRow) => string {
  const { t, format } = useWords();
  return ({ displayName, createdTs }) => t('live.part', { sensor: displayName, start: format.dateTime(createdTs) });
}

function WaitingRow({
  row,
  recordings,
  onRemove,
}: {
  row: RecordingRow;
  recordings: DeskRecordings;
  onRemove: () => void;
}) {
  const { t, format } = useWords();
  const words = useCodeWords();
  const nameOf = usePartName();
  const { sendingId, delays } = useStore(recordings.state);
  const { recordingId, state, code = '', file, sentBytes = 0 } = row;
  const isSending = sendingId === recordingId;
  const delay = delays[recordingId];
  const totalBytes = file?.sizeBytes ?? 0;
  return (
    <li>
      <div className={styles.row}>
        <span>{nameOf(row)}</span>
        <Pill tone={state === 'REFUSED' ? 'bad' : isSending ? 'info' : 'warn'}>
          {t(state === 'REFUSED' ? 'live.refused' : isSending ? 'live.sending' : 'live.waitingToSend')}
        </Pill>
      </div>
      {state === 'REFUSED' ? (
        <>
          <p>{words.refusal(code)}</p>
          <div className={styles.buttons}>
            <Button small onPress={() => void recordings.retry(recordingId)}>
              {t('live.retry')}
            </Button>
            <Button small icon="trash" onPress={onRemove}>
              {t('live.remove')}
            </Button>
          </div>
        </>
      ) : (
        <>
          <ProgressBar label={nameOf(row)} done={sentBytes} total={totalBytes} />
          <small>
            {format.bytes(sentBytes)} / {format.bytes(totalBytes)}
          </small>
          {delay !== undefined && <p>{words.delay(delay)}</p>}
        </>
      )}
    </li>
  );
}

function SentRow({
  sent: { row, siteState, storedRecordingId },
  subject,
}: { sent: Delivered } & Pick<Props, 'subject'>) {
  const { t } = useWords();
  const nameOf = usePartName();
  return (
    <li>
      <div className={styles.row}>
        <span>{nameOf(row)}</span>
        <Pill tone={siteState === 'STORED' ? 'good' : 'warn'}>
          {t(`live.siteStates.${siteState === 'STORED' || siteState === 'REJECTED' ? siteState : 'QUARANTINED'}`)}
        </Pill>
      </div>
      {storedRecordingId !== undefined && (
        <Link
          to="/studies/$studyId/subjects/$subjectId/recordings/$recordingId"
          params={{ ...subject, recordingId: storedRecordingId }}
        >
          {t('live.open')}
        </Link>
      )}
    </li>
  );
}
