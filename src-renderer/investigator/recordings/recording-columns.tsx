/** The columns of a subject's recordings. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Recording } from '../../../src-server/api/contract/index.ts';
import { everHeldQuery } from '../../shared/api/equipment-queries.ts';
import { signaturesOfKindQuery } from '../../shared/api/signature-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Pill } from '../../shared/kit/controls.tsx';
import { type Column, Faint } from '../../shared/kit/data-table.tsx';
import { localDate } from '../../shared/time/local-day.ts';
import { QueryButton } from '../queries/query-button.tsx';
import { RecordSignatures } from '../signatures/record-signatures.tsx';
import { Download } from './download.tsx';
import styles from './recordings.module.css';
import { usePlacement, useSensorName } from './sensor-words.ts';

/** Returns a function that lists the signals a sensor was set to record, with their rates. */
function useSignals(): (recording: Recording) => string {
  const { t, format } = useWords();
  return ({ sensorConfig, physicalConfig }) => {
    const rate = (hz: number) => ` ${t('recordings.rate', { value: format.number(hz, Number.isInteger(hz) ? 0 : 2) })}`;
    const parts: string[] = [];
    const signal = physicalConfig.signal ?? 'ECG';
    if (sensorConfig.afe)
      parts.push(
        (signal === 'ECG' || signal === 'EMG' ? t(`recordings.${signal}`) : signal) + rate(sensorConfig.afe.rate),
      );
    const { sensingType } = sensorConfig;
    if (sensingType === 'RR' || sensingType === 'PPI') parts.push(t(`recordings.${sensingType}`));
    if (sensorConfig.gyro) {
      const { periodMs } = sensorConfig.gyro;
      parts.push(t('recordings.acceleration') + (periodMs ? rate(1000 / periodMs) : ''));
    }
    return parts.length > 0 ? format.list(parts) : sensorConfig.sensingType;
  };
}

/** Returns a function that names the sensor of a recording: the equipment it was, or the name in the imported file. */
function useRecordingSensor(studyId: string, subjectId: string): (recording: Recording) => string {
  const sensorName = useSensorName();
  const held = useQuery(everHeldQuery(studyId, subjectId)).data?.items;
  return useMemo(() => {
    const names = new Map(held?.map((item) => [item.id, item.displayName]));
    return ({ equipmentId, udid }) =>
      equipmentId === undefined ? sensorName(udid) : (names.get(equipmentId) ?? equipmentId);
  }, [held, sensorName]);
}

/** When a recording starts, linked to its day. */
function Start({ recording, timeZone }: { recording: Recording; timeZone: string }) {
  const { t, format } = useWords();
  const { studyId, subjectId, recordingStartTs } = recording;
  const date = localDate(recordingStartTs, timeZone);
  return (
    <Link
      to="/studies/$studyId/subjects/$subjectId/days"
      params={{ studyId, subjectId }}
      search={{ date }}
      title={t('recordings.showDay', { date: format.date(date) })}
    >
      {format.moment(recordingStartTs, timeZone)}
    </Link>
  );
}

/** Opens the signals of a recording. */
function Open({ recording, place }: { recording: Recording; place: { start: string; placement: string } }) {
  const { t } = useWords();
  const { studyId, subjectId, id: recordingId } = recording;
  return (
    <Link
      to="/studies/$studyId/subjects/$subjectId/recordings/$recordingId"
      params={{ studyId, subjectId, recordingId }}
      aria-label={t('viewer.openOf', place)}
    >
      {t('viewer.open')}
    </Link>
  );
}

function Status({ recording: { status } }: { recording: Recording }) {
  const { t } = useWords();
  return status === 'COMPLETE' ? <Pill tone="good">{t('recordings.complete')}</Pill> : <Pill>{status}</Pill>;
}

function Faults({ count }: { count: number }) {
  const { t } = useWords();
  return count > 0 ? (
    <Pill tone="warn">{t('recordings.faultCount', { count })}</Pill>
  ) : (
    <Faint>{t('recordings.noFaults')}</Faint>
  );
}

interface Options {
  studyId: string;
  subjectId: string;
  timeZone: string;
  mayExport: boolean;
  /** Whether downloads leave out what identifies the subject. */
  isDeidentified: boolean;
}

export function useRecordingColumns(options: Options): Column<Recording>[] {
  const { studyId, subjectId, timeZone, mayExport, isDeidentified } = options;
  const { t, format } = useWords();
  const placement = usePlacement();
  const nameOf = useRecordingSensor(studyId, subjectId);
  const signals = useSignals();
  const signatures = useQuery(signaturesOfKindQuery(studyId, { kind: 'recording', subjectId })).data;
  return useMemo(() => {
    const placeOf = ({ recordingStartTs, physicalConfig }: Recording) => ({
      start: format.dateTime(recordingStartTs, timeZone),
      placement: placement(physicalConfig),
    });
    return [
      {
        id: 'start',
        header: t('recordings.start'),
        value: (row) => row.recordingStartTs,
        cell: (row) => <Start recording={row} timeZone={timeZone} />,
      },
      {
        id: 'duration',
        header: t('recordings.duration'),
        isNumber: true,
        value: (row) => row.recordingStopTs - row.recordingStartTs,
        cell: (row) => format.duration((row.recordingStopTs - row.recordingStartTs) / 1000),
      },
      {
        id: 'placement',
        header: t('recordings.placement'),
        value: (row) => placement(row.physicalConfig),
        cell: (row) => <span className={styles.placement}>{placement(row.physicalConfig)}</span>,
      },
      {
        id: 'signals',
        header: t('recordings.signals'),
        value: signals,
        cell: (row) => <span className={styles.signals}>{signals(row)}</span>,
      },
      {
        id: 'sensor',
        isSecondary: true,
        header: t('recordings.sensor'),
        value: nameOf,
        cell: (row) => <span title={row.udid}>{nameOf(row)}</span>,
      },
      {
        id: 'size',
        isSecondary: true,
        header: t('recordings.size'),
        isNumber: true,
        value: (row) => row.export.sizeBytes,
        cell: (row) =>
          row.export.sizeBytes > 0 ? format.bytes(row.export.sizeBytes) : <Faint>{t('recordings.sizeUnknown')}</Faint>,
      },
      { id: 'open', header: t('viewer.column'), cell: (row) => <Open recording={row} place={placeOf(row)} /> },
      ...(mayExport
        ? [
            {
              id: 'download',
              header: t('recordings.download'),
              cell: (row: Recording) => (
                <Download recording={row} isDeidentified={isDeidentified} place={placeOf(row)} />
              ),
            },
          ]
        : []),
      {
        id: 'signatures',
        header: t('signatures.title'),
        cell: (row: Recording) => (
          <RecordSignatures
            studyId={studyId}
            target={{ kind: 'recording', targetId: row.id }}
            name={t('recordings.nameOf', placeOf(row))}
            signatures={signatures && (signatures.get(row.id) ?? [])}
          />
        ),
      },
      {
        id: 'query',
        isSecondary: true,
        header: t('queries.column'),
        cell: (row: Recording) => (
          <QueryButton
            about={{ studyId, subjectId, target: 'RECORDING', targetId: row.id }}
            name={t('recordings.nameOf', placeOf(row))}
          />
        ),
      },
      {
        id: 'state',
        isSecondary: true,
        header: t('recordings.state'),
        value: (row) => row.status,
        cell: (row) => <Status recording={row} />,
      },
      {
        id: 'faults',
        header: t('recordings.faults'),
        isNumber: true,
        value: (row) => row.faults.length,
        cell: (row) => <Faults count={row.faults.length} />,
      },
      {
        id: 'received',
        isSecondary: true,
        header: t('recordings.received'),
        isNumber: true,
        value: (row) => row.uploadStartTs,
        cell: (row) => (
          <span title={format.dateTime(row.uploadStartTs, timeZone)}>{format.moment(row.uploadStartTs, timeZone)}</span>
        ),
      },
    ];
  }, [t, format, studyId, subjectId, timeZone, placement, signals, nameOf, mayExport, isDeidentified, signatures]);
}
