/** Facts about an equipment item in words: last contact, battery, recordings it still holds, faults. */
import type { FaultClass, FleetItem } from '../../../src-server/api/contract/index.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Pill, type Tone } from '../../shared/kit/controls.tsx';
import { Faint } from '../../shared/kit/data-table.tsx';
import { useNow } from '../../shared/time/now.ts';
import { type Freshness, freshnessOf } from './freshness.ts';

const TONES: Record<Freshness, Tone> = { unjudged: 'neutral', fresh: 'neutral', due: 'warn', late: 'bad' };

export type ContactFacts = Pick<FleetItem, 'lastContactTs' | 'expectedEveryMs' | 'holder'>;

/** Time since the last contact. The tone compares it with the interval at which the item should report. */
export function ContactPill({ item }: { item: ContactFacts }) {
  const { t, format } = useWords();
  const now = useNow();
  const { lastContactTs, expectedEveryMs, holder } = item;
  const freshness = freshnessOf({ lastContactTs, expectedEveryMs, sinceTs: holder?.sinceTs }, now);
  const help = [
    lastContactTs !== undefined && format.dateTime(lastContactTs),
    expectedEveryMs === undefined
      ? t('equipment.notExpected')
      : t('equipment.expected', { duration: format.duration(expectedEveryMs / 1000) }),
  ]
    .filter(Boolean)
    .join('\n');
  if (lastContactTs === undefined && freshness === 'unjudged')
    return <Faint help={help}>{t('equipment.neverSeen')}</Faint>;
  return (
    <span title={help}>
      <Pill tone={TONES[freshness]}>
        {lastContactTs === undefined ? t('equipment.neverSeen') : format.ago(lastContactTs, now.nowMs)}
        {(freshness === 'due' || freshness === 'late') && ` · ${t(`equipment.freshness.${freshness}`)}`}
      </Pill>
    </span>
  );
}

/** Below this charge the device may not last the night. */
const LOW_PERCENT = 20;

export function Battery({ percent }: { percent: number | undefined }) {
  const { t, format } = useWords();
  if (percent === undefined) return <Faint>{t('equipment.notReported')}</Faint>;
  const text = t('equipment.percent', { value: format.number(percent) });
  return percent < LOW_PERCENT ? <Pill tone="warn">{t('equipment.lowBattery', { text })}</Pill> : text;
}

export function Held({ held }: { held: FleetItem['held'] }) {
  const { t, format } = useWords();
  if (!held) return <Faint>{t('equipment.notReported')}</Faint>;
  const help =
    held.reportedTs === undefined ? undefined : t('equipment.asOf', { time: format.dateTime(held.reportedTs) });
  if (held.recordings === 0) return <Faint help={help}>{t('equipment.nothingPending')}</Faint>;
  return (
    <span title={help}>{t('equipment.pending', { count: held.recordings, size: format.bytes(held.sizeBytes) })}</span>
  );
}

/** Fault classes that are malfunctions. The others happen on any ordinary day, such as a flat battery. */
const MALFUNCTIONS: readonly (FaultClass | undefined)[] = ['FIRMWARE_RESET', 'HUB_ERROR'];

export const isMalfunction = (faultClass: FaultClass | undefined) => MALFUNCTIONS.includes(faultClass);

export function FaultName({ faultClass }: { faultClass: FaultClass | undefined }) {
  const { t } = useWords();
  const name = t(`equipment.fault.${faultClass ?? 'UNKNOWN'}`);
  return isMalfunction(faultClass) ? <Pill tone="bad">{name}</Pill> : <Pill>{name}</Pill>;
}

/** Malfunctions as a pill; ordinary faults only as a count. */
export function FaultCounts({ item }: { item: Pick<FleetItem, 'faultCounts'> }) {
  const { t, format } = useWords();
  if (item.faultCounts.length === 0) return <Faint>{t('equipment.noFaults')}</Faint>;
  const count = (areMalfunctions: boolean) =>
    item.faultCounts
      .filter(({ faultClass }) => isMalfunction(faultClass) === areMalfunctions)
      .reduce((sum, fault) => sum + fault.count, 0);
  const [malfunctions, ordinary] = [count(true), count(false)];
  const help = format.list(
    item.faultCounts.map((fault) =>
      t('equipment.faultOf', {
        name: t(`equipment.fault.${fault.faultClass ?? 'UNKNOWN'}`),
        times: format.number(fault.count),
      }),
    ),
  );
  return (
    <span title={help}>
      {malfunctions > 0 && <Pill tone="bad">{t('equipment.malfunctions', { count: malfunctions })}</Pill>}{' '}
      {ordinary > 0 && <Faint>{t('equipment.notices', { count: ordinary })}</Faint>}
    </span>
  );
}
