/** Records a Bluetooth sensor of a subject with this computer: choose it, see that it sits well, stop, and see it arrive. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { fleetQuery } from '../../shared/api/equipment-queries.ts';
import { useLockedStudy, usePermissions } from '../../shared/api/permissions.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Delayed, Empty, Notice, QueryView } from '../../shared/kit/state.tsx';
import { useStore } from '../../shared/store.ts';
import { SubjectLink } from '../subjects/subject-link.tsx';
import { Capture } from './capture.tsx';
import styles from './record.module.css';
import { type DeskRecordings, deskRecordings } from './recordings.ts';
import { Waiting } from './waiting.tsx';

type Opening = { recordings: DeskRecordings } | 'failed' | undefined;

function useRecordings(): Opening {
  const [opening, setOpening] = useState<Opening>();
  useEffect(() => {
    deskRecordings().then(
      (recordings) => setOpening({ recordings }),
      () => setOpening('failed'),
    );
  }, []);
  return opening;
}

export function RecordSensor() {
  const { t } = useWords();
  const params = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/record' });
  const opening = useRecordings();
  return (
    <section className={styles.page}>
      <header>
        <h2>{t('live.title')}</h2>
        <p>{t('live.intro')}</p>
        <Link to="/studies/$studyId/subjects/$subjectId/recordings" params={params}>
          {t('live.back')}
        </Link>
      </header>
      {opening === undefined ? (
        <div aria-busy="true">
          <Delayed>
            <p role="status">{t('live.loading')}</p>
          </Delayed>
        </div>
      ) : opening === 'failed' ? (
        <Notice tone="bad">
          <p>
            <strong>{t('live.storeTitle')}</strong>
          </p>
          <p>{t('live.storeHelp')}</p>
        </Notice>
      ) : (
        <Recorder {...params} recordings={opening.recordings} />
      )}
    </section>
  );
}

function Recorder({ recordings, ...subject }: { recordings: DeskRecordings; studyId: string; subjectId: string }) {
  const { t } = useWords();
  const { user } = useSession();
  const { studyId, subjectId } = subject;
  const can = usePermissions();
  const isClosed = useLockedStudy(studyId) !== undefined;
  const fleet = useQuery(fleetQuery(user.accountId));
  const { live } = useStore(recordings.state);
  const isRecording = live.some(({ place }) => place?.subjectId === subjectId);
  const elsewhere = live.find(({ place }) => place?.subjectId !== subjectId)?.place;
  return (
    <>
      {elsewhere && (
        <Notice
          tone="info"
          actions={
            <Link to="/studies/$studyId/subjects/$subjectId/record" params={elsewhere}>
              {t('live.toOther')}
            </Link>
          }
        >
          {t('live.otherSubject')}
        </Notice>
      )}
      <div className={styles.columns}>
        {/* What runs can be stopped whatever has changed meanwhile. */}
        {!isRecording && isClosed ? (
          <Empty icon="shield" title={t('live.closedTitle')} help={t('live.closedHelp')} />
        ) : !isRecording && !can('recording.import', studyId) ? (
          <Empty icon="shield" title={t('live.roleTitle')} help={t('live.roleHelp')} />
        ) : (
          <QueryView query={fleet}>
            {({ items }) => {
              const sensors = items.filter(({ type, holder }) => type === 'SENSOR' && holder?.subjectId === subjectId);
              return sensors.length > 0 || isRecording ? (
                <Capture recordings={recordings} sensors={sensors} subject={subject} />
              ) : (
                <Empty icon="equipment" title={t('live.noSensorTitle')} help={t('live.noSensorHelp')}>
                  <SubjectLink view="equipment" {...subject} />
                </Empty>
              );
            }}
          </QueryView>
        )}
        <Waiting recordings={recordings} subject={subject} />
      </div>
    </>
  );
}
