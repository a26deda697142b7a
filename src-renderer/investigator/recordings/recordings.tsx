import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Recording } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { openSigned } from '../../shared/api/download.ts';
import { everHeldQuery } from '../../shared/api/equipment-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { recordingsQuery, subjectQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { ActionMenu } from '../../shared/kit/action-menu.tsx';
import { Button, buttonClass, Pill } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Checkbox } from '../../shared/kit/forms.tsx';
import { Empty, ErrorNotice, QueryView } from '../../shared/kit/state.tsx';
import { localDate } from '../../shared/time/local-day.ts';
import styles from './recordings.module.css';
import { usePlacement, useSensorName } from './sensor-words.ts';

const OTHER_FORMATS = ['edf', 'edf-d', 'edf-exact', 'bdf', 'parquet'] as const;

function Download({
  recording,
  isDeidentified,
  place,
}: {
  recording: Recording;
  isDeidentified: boolean;
  place: { start: string; placement: string };
}) {
  const { t } = useWords();
  const download = useMutation({
    mutationFn: (format: 'zip' | (typeof OTHER_FORMATS)[number]) =>
      client.call('getRecordingExport', {
        params: { studyId: recording.studyId, recordingId: recording.id },
        query: { format, deidentified: isDeidentified },
      }),
    onSuccess: (signed) => openSigned(signed.href),
  });
  if (download.error) return <ErrorNotice error={download.error} onRetry={() => download.mutate(download.variables)} />;
  return (
    <div className={styles.download}>
      <Button
        small
        icon="download"
        aria-label={t(isDeidentified ? 'recordings.downloadCodedOf' : 'recordings.downloadOf', place)}
        isDisabled={download.isPending}
        onPress={() => download.mutate('zip')}
      >
        {download.isPending ? t('recordings.preparing') : 'ZIP'}
      </Button>
      <ActionMenu
        isSmall
        label={t('recordings.otherFormats')}
        name={t('recordings.otherFormatsOf', place)}
        actions={OTHER_FORMATS.map((format) => ({
          id: format,
          label: t(`recordings.formats.${format}`),
          isDisabled: download.isPending,
          run: () => download.mutate(format),
        }))}
      />
      <span role="status" className="visually-hidden">
        {download.isSuccess ? t('recordings.started') : ''}
      </span>
    </div>
  );
}

/** What the sensor was set to record, with its rates. */
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
    if (sensorConfig.gyro) {
      const { periodMs } = sensorConfig.gyro;
      parts.push(t('recordings.acceleration') + (periodMs ? rate(1000 / periodMs) : ''));
    }
    return parts.length > 0 ? format.list(parts) : sensorConfig.sensingType;
  };
}

export function Recordings() {
  const { t, format } = useWords();
  const { studyId, subjectId } = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/recordings' });
  const recordings = useQuery(recordingsQuery(studyId, subjectId));
  const subject = useQuery(subjectQuery(studyId, subjectId));
  const mayExport = usePermissions()('recording.export', studyId);
  const placement = usePlacement();
  const sensorName = useSensorName();
  const signals = useSignals();
  const timeZone = subject.data?.timezone;
  const held = useQuery(everHeldQuery(studyId, subjectId));
  const sensorNames = useMemo(() => new Map(held.data?.items.map((item) => [item.id, item.displayName])), [held.data]);

  const [isDeidentified, setDeidentified] = useState(false);
  const columns = useMemo((): Column<Recording>[] => {
    const zone = timeZone ?? 'UTC';
    const nameOf = ({ equipmentId, udid }: Recording) =>
      equipmentId === undefined ? sensorName(udid) : (sensorNames.get(equipmentId) ?? equipmentId);
    return [
      {
        id: 'start',
        header: t('recordings.start'),
        value: (row) => row.recordingStartTs,
        cell: (row) => {
          const date = localDate(row.recordingStartTs, zone);
          return (
            <Link
              to="/studies/$studyId/subjects/$subjectId/days"
              params={{ studyId: row.studyId, subjectId: row.subjectId }}
              search={{ date }}
              title={t('recordings.showDay', { date: format.date(date) })}
            >
              {format.moment(row.recordingStartTs, zone)}
            </Link>
          );
        },
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
        cell: (row) => placement(row.physicalConfig),
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
        header: t('recordings.size'),
        isNumber: true,
        value: (row) => row.export.sizeBytes,
        cell: (row) =>
          row.export.sizeBytes > 0 ? format.bytes(row.export.sizeBytes) : <Faint>{t('recordings.sizeUnknown')}</Faint>,
      },
      {
        id: 'open',
        header: t('viewer.column'),
        cell: (row) => (
          <Link
            to="/studies/$studyId/subjects/$subjectId/recordings/$recordingId"
            params={{ studyId: row.studyId, subjectId: row.subjectId, recordingId: row.id }}
            aria-label={t('viewer.openOf', {
              start: format.dateTime(row.recordingStartTs, zone),
              placement: placement(row.physicalConfig),
            })}
          >
            {t('viewer.open')}
          </Link>
        ),
      },
      ...(mayExport
        ? [
            {
              id: 'download',
              header: t('recordings.download'),
              cell: (row: Recording) => (
                <Download
                  recording={row}
                  isDeidentified={isDeidentified}
                  place={{
                    start: format.dateTime(row.recordingStartTs, zone),
                    placement: placement(row.physicalConfig),
                  }}
                />
              ),
            },
          ]
        : []),
      {
        id: 'state',
        isSecondary: true,
        header: t('recordings.state'),
        value: (row) => row.status,
        cell: (row) =>
          row.status === 'COMPLETE' ? <Pill tone="good">{t('recordings.complete')}</Pill> : <Pill>{row.status}</Pill>,
      },
      {
        id: 'faults',
        header: t('recordings.faults'),
        isNumber: true,
        value: (row) => row.faults.length,
        cell: (row) =>
          row.faults.length > 0 ? (
            <Pill tone="warn">{t('recordings.faultCount', { count: row.faults.length })}</Pill>
          ) : (
            <Faint>{t('recordings.noFaults')}</Faint>
          ),
      },
      {
        id: 'received',
        isSecondary: true,
        header: t('recordings.received'),
        isNumber: true,
        value: (row) => row.uploadStartTs,
        cell: (row) => (
          <span title={format.dateTime(row.uploadStartTs, zone)}>{format.moment(row.uploadStartTs, zone)}</span>
        ),
      },
    ];
  }, [t, format, placement, signals, sensorName, sensorNames, timeZone, mayExport, isDeidentified]);

  return (
    <QueryView query={recordings}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon="page" title={t('recordings.emptyTitle')} help={t('recordings.emptyHelp')}>
            <Link
              to="/studies/$studyId/subjects/$subjectId/coverage"
              params={{ studyId, subjectId }}
              className={buttonClass('primary')}
            >
              {t('subject.toCoverage')}
            </Link>
          </Empty>
        ) : (
          <div className={styles.list}>
            <p>{t('recordings.summary', { count: items.length })}</p>
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
              rows={items}
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
