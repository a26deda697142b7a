/** The equipment of the site on paper: every item with who holds it, when it was last heard of, and its faults. */
import { Link, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { FleetItem } from '../../../../src-server/api/contract/index.ts';
import { fleetQuery } from '../../../shared/api/equipment-queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { buttonClass } from '../../../shared/kit/controls.tsx';
import { localDate } from '../../../shared/time/local-day.ts';
import { printedItems } from '../../equipment/bulk/rules.ts';
import type { Content, PaperTable } from '../contents.tsx';
import { type Loaded, moment, ReportScreen, ReportSheets } from '../report.tsx';

/** About forty pages. */
const MOST_ITEMS = 1000;

function useEquipmentTable(items: readonly FleetItem[], timeZone: string): PaperTable {
  const { t, format } = useWords();
  return useMemo(
    () => ({
      caption: t('equipment.title'),
      columns: [
        { id: 'name', label: t('equipment.name'), share: 6 },
        { id: 'type', label: t('equipment.type'), share: 3 },
        { id: 'holder', label: t('equipment.assignedTo'), share: 6 },
        { id: 'since', label: t('equipment.assignedSince'), share: 5 },
        { id: 'contact', label: t('equipment.contact'), share: 5 },
        { id: 'battery', label: t('equipment.battery'), share: 3, isNumber: true },
        { id: 'held', label: t('equipment.notReceived'), share: 5 },
        { id: 'faults', label: t('equipment.faults'), share: 7 },
        { id: 'firmware', label: t('equipment.firmware'), share: 4 },
      ],
      rows: [...items]
        .sort((a, b) => format.compare(a.displayName, b.displayName))
        .slice(0, MOST_ITEMS)
        .map((item) => ({
          id: item.id,
          cells: [
            <>
              {item.displayName}
              <small>{item.udid === undefined ? item.id : `${item.id}, ${item.udid}`}</small>
            </>,
            t(`equipment.types.${item.type}`),
            item.holder ? (
              <>
                {item.holder.subjectName}
                <small>{item.holder.studyName}</small>
              </>
            ) : (
              t(item.state === 'ASSIGNED' ? 'equipment.otherStudy' : 'equipment.unassigned')
            ),
            item.holder && moment(item.holder.sinceTs, timeZone),
            item.lastContactTs === undefined ? t('equipment.neverSeen') : moment(item.lastContactTs, timeZone),
            item.batteryPercent === undefined
              ? t('equipment.notReported')
              : t('equipment.percent', { value: format.number(item.batteryPercent) }),
            !item.held
              ? t('equipment.notReported')
              : item.held.recordings === 0
                ? t('equipment.nothingPending')
                : t('equipment.pending', { count: item.held.recordings, size: format.bytes(item.held.sizeBytes) }),
            item.faultCounts.length === 0
              ? t('equipment.noFaults')
              : format.list(
                  item.faultCounts.map(({ faultClass, count }) =>
                    t('equipment.faultOf', {
                      name: t(`equipment.fault.${faultClass ?? 'UNKNOWN'}`),
                      times: format.number(count),
                    }),
                  ),
                ),
            item.firmwareId ?? t('equipment.notReported'),
          ],
        })),
    }),
    [items, timeZone, t, format],
  );
}

function EquipmentSheets({ loaded }: { loaded: Loaded<{ items: FleetItem[] }> }) {
  const { t, format } = useWords();
  const { items: printed } = useSearch({ from: '/print/equipment' });
  const all = loaded.data.items;
  const items = useMemo(() => (printed === undefined ? all : printedItems(all, printed)), [all, printed]);
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const table = useEquipmentTable(items, timeZone);
  const contents = useMemo((): Content[] => {
    const cut = items.length - MOST_ITEMS;
    if (items.length === 0) return [{ id: 'none', block: <p>{t('equipment.emptyTitle')}</p> }];
    return [
      { id: 'items', table },
      ...(cut > 0 ? [{ id: 'cut', block: <p>{t('paper.more', { count: cut, value: format.number(cut) })}</p> }] : []),
    ];
  }, [items, table, t, format]);
  const date = localDate(loaded.readMs, timeZone);
  return (
    <ReportSheets
      title={t('paper.equipmentLog.title')}
      fileName={t('paper.fileOf', { title: t('paper.equipmentLog.title'), subject: loaded.site.displayName, date })}
      facts={[
        {
          name: t('paper.equipmentLog.items'),
          value: t('equipment.summary', {
            count: items.length,
            out: items.filter(({ state }) => state === 'ASSIGNED').length,
          }),
        },
        ...(printed === undefined
          ? []
          : [
              {
                name: t('paper.equipmentLog.selection'),
                value: t('paper.equipmentLog.selected', {
                  value: format.number(items.length),
                  all: format.number(all.length),
                }),
              },
            ]),
        { name: t('paper.time'), value: `${moment(loaded.readMs, timeZone)}, ${timeZone}` },
      ]}
      {...{ contents, loaded, timeZone }}
    />
  );
}

export function EquipmentOnPaper() {
  const { t } = useWords();
  const { user } = useSession();
  return (
    <ReportScreen
      title={t('paper.equipmentLog.title')}
      queryKey={['equipment', user.accountId]}
      load={(queries) => queries.fetchQuery(fleetQuery(user.accountId))}
      back={
        <Link to="/equipment" className={buttonClass('quiet')}>
          {t('paper.equipmentLog.back')}
        </Link>
      }
    >
      {(loaded) => <EquipmentSheets loaded={loaded} />}
    </ReportScreen>
  );
}
