/** One equipment item on paper: what it is, who had it when, its faults, and the recordings that it still holds. */
import type { QueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { equipmentHistoryQuery, fleetItemQuery } from '../../../shared/api/equipment-queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { buttonClass } from '../../../shared/kit/controls.tsx';
import { localDate } from '../../../shared/time/local-day.ts';
import type { Content, PaperTable } from '../contents.tsx';
import styles from '../paper.module.css';
import { type Loaded, moment, ReportScreen, ReportSheets } from '../report.tsx';

const FROM = '/print/equipment/$equipmentId' as const;

async function loadItem(queries: QueryClient, accountId: string, equipmentId: string) {
  const [item, history] = await Promise.all([
    queries.fetchQuery(fleetItemQuery(accountId, equipmentId)),
    queries.fetchQuery(equipmentHistoryQuery(accountId, equipmentId)),
  ]);
  return { item, history: [...history.items].sort((a, b) => b.createdTs - a.createdTs) };
}
type ItemReport = Awaited<ReturnType<typeof loadItem>>;

function useTables({ item, history }: ItemReport, timeZone: string): Content[] {
  const { t, format } = useWords();
  return useMemo(() => {
    const holders: PaperTable = {
      caption: t('equipment.history'),
      columns: [
        { id: 'time', label: t('equipment.when'), share: 4 },
        { id: 'state', label: t('equipment.what'), share: 4 },
        { id: 'subject', label: t('equipment.subject'), share: 5 },
        { id: 'study', label: t('equipment.study'), share: 8 },
      ],
      rows: history.map(({ createdTs, state, subject, study }, index) => ({
        id: `${createdTs} ${index}`,
        cells: [moment(createdTs, timeZone), t(`equipment.log.${state}`), subject.displayName, study.displayName],
      })),
    };
    const faults: PaperTable = {
      caption: t('equipment.faults'),
      columns: [
        { id: 'time', label: t('equipment.when'), share: 4 },
        { id: 'fault', label: t('equipment.what'), share: 4 },
        { id: 'subject', label: t('equipment.subject'), share: 5 },
        { id: 'meaning', label: t('equipment.meaning'), share: 10 },
        { id: 'code', label: t('equipment.code'), share: 5 },
      ],
      rows: [...item.faults]
        .sort((a, b) => b.faultTs - a.faultTs)
        .map((fault) => ({
          id: fault.id,
          cells: [
            moment(fault.faultTs, timeZone),
            t(`equipment.fault.${fault.faultClass ?? 'UNKNOWN'}`),
            fault.subjectName,
            t(`equipment.faultHelp.${fault.faultClass ?? 'UNKNOWN'}`),
            fault.faultFlag,
          ],
        })),
    };
    const held: PaperTable = {
      caption: t('equipment.notReceived'),
      columns: [
        { id: 'start', label: t('equipment.recordedFrom'), share: 5 },
        { id: 'length', label: t('equipment.length'), share: 4 },
        { id: 'sensor', label: t('equipment.types.SENSOR'), share: 6 },
        { id: 'where', label: t('equipment.where'), share: 5 },
        { id: 'size', label: t('equipment.size'), share: 4, isNumber: true },
      ],
      rows: item.heldRecordings.map((one) => ({
        id: one.recordingId,
        cells: [
          moment(one.startTs, timeZone),
          format.duration((one.stopTs - one.startTs) / 1000),
          one.sensorId,
          t(`equipment.places.${one.place}`),
          format.bytes(one.sizeBytes),
        ],
      })),
    };
    const none = (id: string, title: string, help: string): Content => ({
      id,
      block: (
        <>
          <h3>{title}</h3>
          <p className={styles.muted}>{help}</p>
        </>
      ),
    });
    return [
      history.length > 0
        ? { id: 'history', table: holders }
        : none('history', t('equipment.history'), t('equipment.noHistory')),
      item.faults.length > 0
        ? { id: 'faults', table: faults }
        : none('faults', t('equipment.faults'), t('equipment.noFaultsHelp')),
      ...(item.heldRecordings.length > 0 ? [{ id: 'held', table: held }] : []),
    ];
  }, [item, history, timeZone, t, format]);
}

function ItemSheets({ loaded }: { loaded: Loaded<ItemReport> }) {
  const { t, format } = useWords();
  const { item } = loaded.data;
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const contents = useTables(loaded.data, timeZone);
  const missing = t('equipment.notReported');
  const holder = item.holder
    ? `${item.holder.subjectName}, ${item.holder.studyName}, ${t('equipment.since', { time: moment(item.holder.sinceTs, timeZone) })}`
    : t(item.state === 'ASSIGNED' ? 'equipment.otherStudy' : 'equipment.unassigned');
  return (
    <ReportSheets
      title={t('paper.itemLog.title')}
      fileName={t('paper.fileOf', {
        title: t('paper.itemLog.title'),
        subject: item.displayName,
        date: localDate(loaded.readMs, timeZone),
      })}
      facts={[
        { name: t(`equipment.types.${item.type}`), value: item.displayName },
        { name: t('equipment.serial'), value: [item.id, item.udid].filter(Boolean).join(', ') },
        { name: t('equipment.assignedTo'), value: holder, isWide: true },
        {
          name: t('equipment.contact'),
          value: item.lastContactTs === undefined ? t('equipment.neverSeen') : moment(item.lastContactTs, timeZone),
        },
        {
          name: t('equipment.battery'),
          value:
            item.batteryPercent === undefined
              ? missing
              : t('equipment.percent', { value: format.number(item.batteryPercent) }),
        },
        { name: t('equipment.firmware'), value: item.firmwareId ?? missing },
        { name: t('paper.time'), value: timeZone },
      ]}
      {...{ contents, loaded, timeZone }}
    />
  );
}

export function ItemOnPaper() {
  const { t } = useWords();
  const { user } = useSession();
  const { equipmentId } = useParams({ from: FROM });
  return (
    <ReportScreen
      title={t('paper.itemLog.title')}
      queryKey={['equipment', user.accountId, equipmentId]}
      load={(queries) => loadItem(queries, user.accountId, equipmentId)}
      back={
        <Link to="/equipment/$equipmentId" params={{ equipmentId }} className={buttonClass('quiet')}>
          {t('paper.itemLog.back')}
        </Link>
      }
    >
      {(loaded) => <ItemSheets loaded={loaded} />}
    </ReportScreen>
  );
}
