/** Columns of an upload table. Files in progress show how much has arrived; the others show their reason and size. */
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Upload } from '../../../../src-server/api/contract/index.ts';
import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords, type Words } from '../../../shared/i18n/i18n.ts';
import { Button, buttonClass, Pill } from '../../../shared/kit/controls.tsx';
import { type Column, Faint } from '../../../shared/kit/data-table.tsx';
import { ProgressTrack } from '../../../shared/kit/progress.tsx';
import { timeCell } from '../columns.tsx';
import { useSenders } from '../device-names.ts';
import styles from '../equipment.module.css';
import { useMayManage } from '../frame.tsx';
import { EquipmentLink, SubjectLink } from '../links.tsx';
import { isKnownReason } from './upload-reasons.ts';

export interface UploadAction {
  kind: 'accept' | 'reject' | 'register';
  upload: Upload;
}

/** Why the site did not accept the file. For English readers the site's own message is the tooltip. */
function Reason({ upload }: { upload: Upload }) {
  const { t, language } = useWords();
  const diagnosticText = useDiagnosticText();
  const { code, message = '' } = upload;
  if (upload.state === 'RECEIVED') return <Faint>{t('uploads.checking')}</Faint>;
  const text =
    code === undefined
      ? undefined
      : isKnownReason(code)
        ? t(`uploads.reason.${code}`)
        : diagnosticText({ code, message: message || code });
  return (
    <span className={styles.wrapped} title={language === 'en' ? upload.message : undefined}>
      {text}
      {upload.decisionReason !== undefined && (
        <Faint> {t('uploads.reasonGiven', { reason: upload.decisionReason })}</Faint>
      )}
    </span>
  );
}

function Progress({ upload }: { upload: Upload }) {
  const { t, format } = useWords();
  const percent = upload.sizeBytes > 0 ? Math.floor((100 * upload.receivedBytes) / upload.sizeBytes) : 0;
  const text = t('uploads.received', {
    done: format.bytes(upload.receivedBytes),
    total: format.bytes(upload.sizeBytes),
  });
  return (
    <>
      {text}
      <ProgressTrack className={styles.bar} label={text} percent={percent} />
    </>
  );
}

/** What may be done with a file: decide about it, register or hand out its sensor, open its subject. */
function UploadActions({
  upload,
  isSensorKnown,
  onAction,
}: {
  upload: Upload;
  isSensorKnown: boolean;
  onAction: (action: UploadAction) => void;
}) {
  const { t } = useWords();
  return (
    <span className={styles.actions}>
      {upload.actions.includes('accept') && (
        <Button small kind="primary" onPress={() => onAction({ kind: 'accept', upload })}>
          {t('uploads.accept')}
        </Button>
      )}
      {upload.actions.includes('reject') && (
        <Button small onPress={() => onAction({ kind: 'reject', upload })}>
          {t('uploads.reject')}
        </Button>
      )}
      {upload.state === 'REFUSED' && upload.code === 'SENSOR_UNKNOWN' && !isSensorKnown && (
        <Button small onPress={() => onAction({ kind: 'register', upload })}>
          {t('uploads.registerSensor')}
        </Button>
      )}
      {upload.state === 'REFUSED' && upload.code === 'SENSOR_UNASSIGNED' && (
        <Link to="/equipment/$equipmentId" params={{ equipmentId: upload.sensorId }} className={buttonClass('plain')}>
          {t('equipment.handOut')}
        </Link>
      )}
      {upload.studyId && upload.subjectId && (
        <SubjectLink studyId={upload.studyId} subjectId={upload.subjectId} name={t('uploads.toSubject')} />
      )}
    </span>
  );
}

export function useUploadColumns(uploads: Upload[], onAction: (action: UploadAction) => void): Column<Upload>[] {
  const words = useWords();
  const mayManage = useMayManage();
  const { items: sensors, nameOf } = useSenders();
  return useMemo(() => {
    const { t, format } = words;
    const isInProgress = uploads.some(({ state }) => state === 'RECEIVING' || state === 'RECEIVED');
    const actionColumn: Column<Upload> = {
      id: 'action',
      header: t('equipment.action'),
      cell: (upload) => (
        <UploadActions upload={upload} isSensorKnown={sensors.has(upload.sensorId)} onAction={onAction} />
      ),
    };
    return [
      {
        id: 'start',
        header: t('equipment.recordedFrom'),
        value: (upload) => upload.startTs,
        cell: (upload) => (
          <>
            {timeCell(words, upload.startTs)}{' '}
            {upload.stopTs !== undefined && <Faint>{format.duration((upload.stopTs - upload.startTs) / 1000)}</Faint>}
          </>
        ),
      },
      {
        id: 'sensor',
        header: t('equipment.types.SENSOR'),
        value: (upload) => nameOf(upload.sensorId),
        cell: (upload) =>
          sensors.has(upload.sensorId) ? (
            <EquipmentLink id={upload.sensorId} name={nameOf(upload.sensorId)} />
          ) : (
            <>
              {upload.sensorId} <Faint>{t('uploads.unknownSensor')}</Faint>
            </>
          ),
      },
      ...(isInProgress ? [progressColumn(words)] : decisionColumns(words)),
      {
        id: 'device',
        isSecondary: true,
        header: t('uploads.from'),
        value: (upload) => nameOf(upload.deviceId),
        cell: (upload) => nameOf(upload.deviceId),
      },
      ...(mayManage ? [actionColumn] : []),
    ];
  }, [words, sensors, nameOf, uploads, mayManage, onAction]);
}

function progressColumn({ t }: Words): Column<Upload> {
  return {
    id: 'progress',
    header: t('uploads.progress'),
    value: (upload) => upload.receivedBytes,
    cell: (upload) =>
      upload.state === 'RECEIVED' ? <Pill tone="info">{t('uploads.checking')}</Pill> : <Progress upload={upload} />,
  };
}

function decisionColumns({ t, format }: Words): Column<Upload>[] {
  return [
    {
      id: 'reason',
      header: t('uploads.why'),
      value: (upload) => upload.code,
      cell: (upload) => <Reason upload={upload} />,
    },
    {
      id: 'size',
      header: t('equipment.size'),
      isNumber: true,
      value: (upload) => upload.sizeBytes,
      cell: (upload) => format.bytes(upload.sizeBytes),
    },
  ];
}
