/** The page of one equipment item: its state, its holders over time, its faults, and the recordings it still holds. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import type { EquipmentHistoryItem, FleetDetail } from '../../../src-server/api/contract/index.ts';
import { equipmentHistoryQuery, fleetItemQuery } from '../../shared/api/equipment-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords, type Words } from '../../shared/i18n/i18n.ts';
import { Button, IconButton, Pill } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { FactPanel, Page } from '../../shared/kit/page.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import { useCommands } from '../commands/commands.ts';
import { PrintRecord } from '../history/print-record.tsx';
import { timeCell } from './columns.tsx';
import { Battery, ContactPill, FaultName, Held } from './contact.tsx';
import { RenameDialog, RevokeDialog } from './device-dialogs.tsx';
import { HandOutDialog, TakeBackDialog } from './dialogs.tsx';
import { EditDialog } from './edit-dialog.tsx';
import styles from './equipment.module.css';
import { useMayManage } from './frame.tsx';
import { EquipmentLink, SubjectLink } from './links.tsx';

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
  return <FactPanel label={t('equipment.details')} className={styles.facts} facts={facts} />;
}

function timeColumn<Row>(words: Words, id: string, header: string, timeOf: (row: Row) => number): Column<Row> {
  return { id, header, value: timeOf, cell: (row) => timeCell(words, timeOf(row)) };
}

function Faults({ item }: { item: FleetDetail }) {
  const words = useWords();
  const { t } = words;
  const columns = useMemo(
    (): Column<FleetDetail['faults'][number]>[] => [
      timeColumn(words, 'time', t('equipment.when'), (fault) => fault.faultTs),
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
    [words, t],
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
  const words = useWords();
  const { t, format } = words;
  const columns = useMemo(
    (): Column<FleetDetail['heldRecordings'][number]>[] => [
      timeColumn(words, 'start', t('equipment.recordedFrom'), (held) => held.startTs),
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
    [words, t, format],
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
  const words = useWords();
  const { t } = words;
  const { user } = useSession();
  const history = useQuery(equipmentHistoryQuery(user.accountId, equipmentId));
  const columns = useMemo(
    (): Column<EquipmentHistoryItem>[] => [
      timeColumn(words, 'time', t('equipment.when'), (item) => item.createdTs),
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
    [words, t],
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
  const [dialog, setDialog] = useState<'edit' | 'handOut' | 'takeBack' | 'revoke' | 'rename'>();
  const close = () => setDialog(undefined);
  const navigate = useNavigate();
  const print = () => void navigate({ to: '/print/equipment/$equipmentId', params: { equipmentId } });
  useCommands([{ id: 'equipment.printItem', label: t('equipment.printItem'), keys: ['p'], scope: 'page', run: print }]);
  const item = query.data;
  const device = item?.deviceId === undefined ? undefined : { ...item, id: item.deviceId };
  return (
    <Page
      title={item?.displayName ?? equipmentId}
      summary={item && t(`equipment.types.${item.type}`)}
      actions={
        item && (
          <div className={styles.actions}>
            <IconButton kind="quiet" icon="page" label={t('equipment.printItem')} onPress={print} />
            {can('site.manage') && (
              <PrintRecord studyId={undefined} type="equipment" id={item.id} name={item.displayName} />
            )}
            {item.type === 'SENSOR' && mayManage && (
              <Button onPress={() => setDialog('edit')}>{t('equipment.edit')}</Button>
            )}
            {device && mayManage && <Button onPress={() => setDialog('rename')}>{t('devices.rename')}</Button>}
            {device && mayManage && <Button onPress={() => setDialog('revoke')}>{t('devices.revoke')}</Button>}
            {item.state === 'UNASSIGNED' && can('equipment.assign') && (
              <Button kind="primary" onPress={() => setDialog('handOut')}>
                {t('equipment.handOut')}
              </Button>
            )}
            {item.holder && can('equipment.assign', item.holder.studyId) && (
              <Button onPress={() => setDialog('takeBack')}>{t('equipment.takeBack')}</Button>
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
      {item && dialog === 'edit' && <EditDialog item={item} onClose={close} />}
      {item && dialog === 'handOut' && <HandOutDialog item={item} onClose={close} />}
      {item?.holder && dialog === 'takeBack' && <TakeBackDialog item={item} place={item.holder} onClose={close} />}
      {device && dialog === 'revoke' && <RevokeDialog device={device} onClose={close} />}
      {device && dialog === 'rename' && <RenameDialog device={device} onClose={close} />}
    </Page>
  );
}
