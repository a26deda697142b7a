/** One piece of equipment: how it is, who held it when, its faults, what it still holds. */

import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import type { EquipmentHistoryItem, FleetDetail } from '../../../src-server/api/contract/index.ts';
import { equipmentHistoryQuery, fleetItemQuery } from '../../shared/api/equipment-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Pill } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Page, panelClass } from '../../shared/kit/page.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import { Battery, ContactPill, FaultName, Held } from './contact.tsx';
import { RenameDialog, RevokeDialog } from './device-dialogs.tsx';
import { HandOutDialog, TakeBackDialog } from './dialogs.tsx';
import { EditDialog } from './edit-dialog.tsx';
import styles from './equipment.module.css';
import { EquipmentLink } from './equipment-table.tsx';
import { useMayManage } from './frame.tsx';

export function SubjectLink({ studyId, subjectId, name }: { studyId: string; subjectId: string; name: string }) {
  return (
    <Link to="/studies/$studyId/subjects/$subjectId/equipment" params={{ studyId, subjectId }}>
      {name}
    </Link>
  );
}

function Facts({ item }: { item: FleetDetail }) {
  const { t, format } = useWords();
  const missing = <Faint>{t('equipment.notReported')}</Faint>;
  const facts: [string, ReactNode][] = [
    [
      t('equipment.assignedTo'),
      item.holder ? (
        <>
          <SubjectLink {...item.holder} name={item.holder.subjectName} /> <Faint>{item.holder.studyName}</Faint>
          <div>
            <Faint>{t('equipment.since', { time: format.moment(item.holder.sinceTs) })}</Faint>
          </div>
        </>
      ) : (
        <Faint key="holder">{t(item.state === 'ASSIGNED' ? 'equipment.otherStudy' : 'equipment.unassigned')}</Faint>
      ),
    ],
    [t('equipment.contact'), <ContactPill key="contact" item={item} />],
    [t('equipment.battery'), <Battery key="battery" percent={item.batteryPercent} />],
    [t('equipment.notReceived'), <Held key="held" held={item.held} />],
    [t('equipment.serial'), item.id],
    ...(item.type === 'SENSOR' ? [[t('equipment.udidShort'), item.udid ?? missing] as [string, ReactNode]] : []),
    [t('equipment.hardware'), item.hardwareId ?? missing],
    [t('equipment.firmware'), item.firmwareId ?? missing],
  ];
  return (
    <dl className={`${panelClass} ${styles.facts}`} aria-label={t('equipment.details')}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Faults({ item }: { item: FleetDetail }) {
  const { t, format } = useWords();
  const columns = useMemo(
    (): Column<FleetDetail['faults'][number]>[] => [
      {
        id: 'time',
        header: t('equipment.when'),
        value: (fault) => fault.faultTs,
        cell: (fault) => <span title={format.dateTime(fault.faultTs)}>{format.moment(fault.faultTs)}</span>,
      },
      {
        id: 'class',
        header: t('equipment.what'),
        value: (fault) => t(`equipment.fault.${fault.faultClass ?? 'UNKNOWN'}`),
        cell: (fault) => <FaultName faultClass={fault.faultClass} />,
      },
      {
        id: 'meaning',
        header: t('equipment.meaning'),
        cell: (fault) => (
          <span className={styles.wrapped}>{t(`equipment.faultHelp.${fault.faultClass ?? 'UNKNOWN'}`)}</span>
        ),
      },
      {
        id: 'subject',
        header: t('equipment.subject'),
        value: (fault) => fault.subjectName,
        cell: (fault) => <SubjectLink studyId={fault.studyId} subjectId={fault.subjectId} name={fault.subjectName} />,
      },
      {
        id: 'code',
        isSecondary: true,
        header: t('equipment.code'),
        value: (fault) => fault.faultFlag,
        cell: (fault) => <Faint help={fault.faultType}>{fault.faultFlag}</Faint>,
      },
    ],
    [t, format],
  );
  return (
    <section className={styles.section}>
      <h2>{t('equipment.faults')}</h2>
      {item.faults.length === 0 ? (
        <p>{t('equipment.noFaultsHelp')}</p>
      ) : (
        <DataTable
          caption={t('equipment.faults')}
          rows={item.faults}
          columns={columns}
          rowId={(fault) => fault.id}
          initialSort={{ id: 'time', desc: true }}
        />
      )}
    </section>
  );
}

function HeldRecordings({ item }: { item: FleetDetail }) {
  const { t, format } = useWords();
  const columns = useMemo(
    (): Column<FleetDetail['heldRecordings'][number]>[] => [
      {
        id: 'start',
        header: t('equipment.recordedFrom'),
        value: (held) => held.startTs,
        cell: (held) => <span title={format.dateTime(held.startTs)}>{format.moment(held.startTs)}</span>,
      },
      {
        id: 'length',
        header: t('equipment.length'),
        isNumber: true,
        value: (held) => held.stopTs - held.startTs,
        cell: (held) => format.duration((held.stopTs - held.startTs) / 1000),
      },
      {
        id: 'sensor',
        header: t('equipment.types.SENSOR'),
        value: (held) => held.sensorId,
        cell: (held) => <EquipmentLink id={held.sensorId} name={held.sensorId} />,
      },
      {
        id: 'place',
        header: t('equipment.where'),
        value: (held) => held.place,
        cell: (held) => <Pill>{t(`equipment.places.${held.place}`)}</Pill>,
      },
      {
        id: 'size',
        header: t('equipment.size'),
        isNumber: true,
        value: (held) => held.sizeBytes,
        cell: (held) => format.bytes(held.sizeBytes),
      },
    ],
    [t, format],
  );
  if (item.heldRecordings.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2>{t('equipment.notReceived')}</h2>
      <p>{t('equipment.notReceivedHelp')}</p>
      <DataTable
        caption={t('equipment.notReceived')}
        rows={item.heldRecordings}
        columns={columns}
        rowId={(held) => held.recordingId}
        initialSort={{ id: 'start', desc: false }}
      />
    </section>
  );
}

function History({ equipmentId }: { equipmentId: string }) {
  const { t, format } = useWords();
  const { user } = useSession();
  const history = useQuery(equipmentHistoryQuery(user.accountId, equipmentId));
  const columns = useMemo(
    (): Column<EquipmentHistoryItem>[] => [
      {
        id: 'time',
        header: t('equipment.when'),
        value: (item) => item.createdTs,
        cell: (item) => <span title={format.dateTime(item.createdTs)}>{format.moment(item.createdTs)}</span>,
      },
      {
        id: 'state',
        header: t('equipment.what'),
        value: (item) => item.state,
        cell: (item) => (
          <Pill tone={item.state === 'ASSIGNED' ? 'info' : 'neutral'}>{t(`equipment.log.${item.state}`)}</Pill>
        ),
      },
      {
        id: 'subject',
        header: t('equipment.subject'),
        value: (item) => item.subject.displayName,
        cell: (item) => (
          <SubjectLink studyId={item.study.id} subjectId={item.subject.id} name={item.subject.displayName} />
        ),
      },
      {
        id: 'study',
        header: t('equipment.study'),
        value: (item) => item.study.displayName,
        cell: (item) => item.study.displayName,
      },
    ],
    [t, format],
  );
  return (
    <section className={styles.section}>
      <h2>{t('equipment.history')}</h2>
      <QueryView query={history}>
        {({ items }) =>
          items.length === 0 ? (
            <p>{t('equipment.noHistory')}</p>
          ) : (
            <DataTable
              caption={t('equipment.history')}
              rows={items}
              columns={columns}
              rowId={(item) => `${item.createdTs} ${item.state} ${item.subject.id}`}
              initialSort={{ id: 'time', desc: true }}
            />
          )
        }
      </QueryView>
    </section>
  );
}

export function EquipmentDetail() {
  const { t } = useWords();
  const { user } = useSession();
  const mayManage = useMayManage();
  const can = usePermissions();
  const { equipmentId } = useParams({ from: '/desk/equipment/$equipmentId' });
  const query = useQuery(fleetItemQuery(user.accountId, equipmentId));
  const [asked, setAsked] = useState<'edit' | 'handOut' | 'takeBack' | 'revoke' | 'rename'>();
  const close = () => setAsked(undefined);
  const item = query.data;
  const device = item?.deviceId === undefined ? undefined : { ...item, id: item.deviceId };
  return (
    <Page
      title={item?.displayName ?? equipmentId}
      summary={item && t(`equipment.types.${item.type}`)}
      actions={
        item && (
          <div className={styles.actions}>
            {item.type === 'SENSOR' && mayManage && (
              <Button onPress={() => setAsked('edit')}>{t('equipment.edit')}</Button>
            )}
            {device && mayManage && <Button onPress={() => setAsked('rename')}>{t('devices.rename')}</Button>}
            {device && mayManage && <Button onPress={() => setAsked('revoke')}>{t('devices.revoke')}</Button>}
            {item.state === 'UNASSIGNED' && can('equipment.assign') && (
              <Button kind="primary" onPress={() => setAsked('handOut')}>
                {t('equipment.handOut')}
              </Button>
            )}
            {item.holder && can('equipment.assign', item.holder.studyId) && (
              <Button onPress={() => setAsked('takeBack')}>{t('equipment.takeBack')}</Button>
            )}
          </div>
        )
      }
    >
      <QueryView query={query}>
        {(data) => (
          <>
            <Facts item={data} />
            <HeldRecordings item={data} />
            <History equipmentId={equipmentId} />
            <Faults item={data} />
          </>
        )}
      </QueryView>
      {item && asked === 'edit' && <EditDialog item={item} onClose={close} />}
      {item && asked === 'handOut' && <HandOutDialog item={item} onClose={close} />}
      {item?.holder && asked === 'takeBack' && <TakeBackDialog item={item} place={item.holder} onClose={close} />}
      {device && asked === 'revoke' && <RevokeDialog device={device} onClose={close} />}
      {device && asked === 'rename' && <RenameDialog device={device} onClose={close} />}
    </Page>
  );
}
