/** Files from devices in groups: to be decided, refused, under way, decided against. */
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Upload } from '../../../../src-server/api/contract/index.ts';
import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, buttonClass, Pill } from '../../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../../shared/kit/data-table.tsx';
import { RegisterDialog } from '../dialogs.tsx';
import styles from '../equipment.module.css';
import { SubjectLink } from '../equipment-detail.tsx';
import { EquipmentLink } from '../equipment-table.tsx';
import { useMayManage } from '../frame.tsx';
import { useSenders } from './names.ts';
import { AcceptDialog, RejectDialog } from './upload-dialogs.tsx';
import { isKnownReason } from './upload-reasons.ts';

type Asked = { kind: 'accept' | 'reject'; upload: Upload } | { kind: 'register'; upload: Upload };

/** Why the site does not simply take it, in the reader's words; what the site wrote, in English, stands in its title. */
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
      <span
        className={styles.bar}
        role="progressbar"
        aria-label={text}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
      >
        <span style={{ width: `${percent}%` }} />
      </span>
    </>
  );
}

function UploadTable({
  uploads,
  caption,
  onAsk,
}: {
  uploads: Upload[];
  caption: string;
  onAsk: (asked: Asked) => void;
}) {
  const { t, format } = useWords();
  const mayManage = useMayManage();
  const { items: names, nameOf } = useSenders();
  const columns = useMemo((): Column<Upload>[] => {
    const isMoving = uploads.some(({ state }) => state === 'RECEIVING' || state === 'RECEIVED');
    const all: (Column<Upload> | false)[] = [
      {
        id: 'start',
        header: t('equipment.recordedFrom'),
        value: (upload) => upload.startTs,
        cell: (upload) => (
          <>
            <span title={format.dateTime(upload.startTs)}>{format.moment(upload.startTs)}</span>{' '}
            {upload.stopTs !== undefined && <Faint>{format.duration((upload.stopTs - upload.startTs) / 1000)}</Faint>}
          </>
        ),
      },
      {
        id: 'sensor',
        header: t('equipment.types.SENSOR'),
        value: (upload) => nameOf(upload.sensorId),
        cell: (upload) =>
          names.has(upload.sensorId) ? (
            <EquipmentLink id={upload.sensorId} name={nameOf(upload.sensorId)} />
          ) : (
            <>
              {upload.sensorId} <Faint>{t('uploads.unknownSensor')}</Faint>
            </>
          ),
      },
      !isMoving && {
        id: 'reason',
        header: t('uploads.why'),
        value: (upload) => upload.code,
        cell: (upload) => <Reason upload={upload} />,
      },
      isMoving && {
        id: 'progress',
        header: t('uploads.progress'),
        value: (upload) => upload.receivedBytes,
        cell: (upload) =>
          upload.state === 'RECEIVED' ? <Pill tone="info">{t('uploads.checking')}</Pill> : <Progress upload={upload} />,
      },
      !isMoving && {
        id: 'size',
        header: t('equipment.size'),
        isNumber: true,
        value: (upload) => upload.sizeBytes,
        cell: (upload) => format.bytes(upload.sizeBytes),
      },
      {
        id: 'device',
        isSecondary: true,
        header: t('uploads.from'),
        value: (upload) => nameOf(upload.deviceId),
        cell: (upload) => nameOf(upload.deviceId),
      },
      mayManage && {
        id: 'action',
        header: t('equipment.action'),
        cell: (upload) => (
          <span className={styles.actions}>
            {upload.actions.includes('accept') && (
              <Button small kind="primary" onPress={() => onAsk({ kind: 'accept', upload })}>
                {t('uploads.accept')}
              </Button>
            )}
            {upload.actions.includes('reject') && (
              <Button small onPress={() => onAsk({ kind: 'reject', upload })}>
                {t('uploads.reject')}
              </Button>
            )}
            {upload.state === 'REFUSED' && upload.code === 'SENSOR_UNKNOWN' && !names.has(upload.sensorId) && (
              <Button small onPress={() => onAsk({ kind: 'register', upload })}>
                {t('uploads.registerSensor')}
              </Button>
            )}
            {upload.state === 'REFUSED' && upload.code === 'SENSOR_UNASSIGNED' && (
              <Link
                to="/equipment/$equipmentId"
                params={{ equipmentId: upload.sensorId }}
                className={buttonClass('plain')}
              >
                {t('equipment.handOut')}
              </Link>
            )}
            {upload.studyId && upload.subjectId && (
              <SubjectLink studyId={upload.studyId} subjectId={upload.subjectId} name={t('uploads.toSubject')} />
            )}
          </span>
        ),
      },
    ];
    return all.filter((column) => column !== false);
  }, [t, format, names, nameOf, uploads, mayManage, onAsk]);
  return (
    <DataTable
      caption={caption}
      rows={uploads}
      columns={columns}
      rowId={(upload) => upload.id}
      initialSort={{ id: 'start', desc: true }}
    />
  );
}

const GROUPS = [
  { id: 'waiting', states: ['QUARANTINED'] },
  { id: 'refused', states: ['REFUSED'] },
  { id: 'receiving', states: ['RECEIVING', 'RECEIVED'] },
  { id: 'rejected', states: ['REJECTED'] },
] as const satisfies { id: string; states: Upload['state'][] }[];

export function UploadGroups({ uploads }: { uploads: Upload[] }) {
  const { t } = useWords();
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  return (
    <>
      {GROUPS.map((group) => {
        const states: readonly Upload['state'][] = group.states;
        const own = uploads.filter(({ state }) => states.includes(state));
        if (own.length === 0) return null;
        const title = t(`uploads.groups.${group.id}`);
        return (
          <section key={group.id} className={styles.section}>
            <h2>{title}</h2>
            <p>{t(`uploads.groupHelp.${group.id}`)}</p>
            <UploadTable uploads={own} caption={title} onAsk={setAsked} />
          </section>
        );
      })}
      {asked?.kind === 'accept' && <AcceptDialog upload={asked.upload} onClose={close} />}
      {asked?.kind === 'reject' && <RejectDialog upload={asked.upload} onClose={close} />}
      {asked?.kind === 'register' && <RegisterDialog serial={asked.upload.sensorId} onClose={close} />}
    </>
  );
}
