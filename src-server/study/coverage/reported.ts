/** Causes from reports: faults of devices, and sensors on a charger. Pure. */

import { HOUR_MS, MINUTE_MS } from '../../durations.ts';
import type { GapReason } from '../../vocabulary/coverage.ts';
import { FAULT_CLASSES, type FaultClass } from '../../vocabulary/devices.ts';
import { type Action, type Cause, type CauseCode, type Evidence, makeCause } from './causes.ts';
import { type WhyFacts, wait } from './facts.ts';
import type { TimeSpan } from './spans.ts';

/** A fault explains a hole that starts or ends within this time of it. */
export const FAULT_SLACK_MS = 30 * MINUTE_MS;
/** A battery that stays this full across contacts is on a charger too. */
const FULL_PERCENT = 99;
/** Charging takes less time than this; beyond it, the sensor was left on the charger. */
const LONG_CHARGE_MS = 3 * HOUR_MS;

const FAULT_ACTIONS: Readonly<Record<FaultClass, { code: CauseCode; kind: Action['kind'] }>> = {
  FLAT_BATTERY: { code: 'FLAT_BATTERY', kind: 'CHARGE' },
  FULL_MEMORY: { code: 'FULL_MEMORY', kind: 'PUT_ON_HUB' },
  CLOCK_NOT_SET: { code: 'CLOCK_NOT_SET', kind: 'PUT_ON_HUB' },
  FIRMWARE_RESET: { code: 'FIRMWARE_RESET', kind: 'REPLACE_SENSOR' },
  HUB_ERROR: { code: 'HUB_ERROR', kind: 'CHECK_DEVICE' },
  LOST_CONTACT: { code: 'LOST_CONTACT', kind: 'PUT_ON_HUB' },
};

function isFaultClass(value: string | undefined): value is FaultClass {
  return (FAULT_CLASSES as readonly (string | undefined)[]).includes(value);
}

/** Faults that were reported within a span or near its edges. */
export function faultCauses(
  facts: WhyFacts,
  hole: TimeSpan,
  sensorIds: ReadonlySet<string>,
  slackMs = FAULT_SLACK_MS,
): Cause[] {
  const deviceIds = new Set(facts.devices.map(({ id }) => id));
  return facts.faults.flatMap(({ faultTs, faultClass, equipmentId }) => {
    const known = isFaultClass(faultClass) ? FAULT_ACTIONS[faultClass] : undefined;
    if (!known || equipmentId === undefined) return [];
    if (faultTs < hole.startMs - slackMs || faultTs > hole.stopMs + slackMs) return [];
    if (!sensorIds.has(equipmentId) && !deviceIds.has(equipmentId)) return [];
    const words = sensorIds.has(equipmentId) ? sensorWords(facts, equipmentId) : deviceWords(facts, equipmentId);
    const action: Action = { kind: known.kind, target: { type: 'equipment', id: equipmentId } };
    return [makeCause(known.code, { ...words, atTs: faultTs }, action)];
  });
}

/** Returns the sensors whose battery charged in a span: they were on a charger and not worn. */
export function chargerCauses(facts: WhyFacts, hole: TimeSpan, sensorIds: ReadonlySet<string>): Cause[] {
  return [...sensorIds].flatMap((sensorId) => {
    const seen = facts.contacts.filter(
      ({ sensorId: id, atTs, batteryPercent }) =>
        id === sensorId && atTs >= hole.startMs && atTs <= hole.stopMs && batteryPercent !== undefined,
    );
    const [first, last] = [seen[0], seen.at(-1)];
    if (!first || !last || first === last) return [];
    const levels = seen.map(({ batteryPercent = 0 }) => batteryPercent);
    const [from, to] = [levels[0] ?? 0, levels.at(-1) ?? 0];
    const hasFallen = levels.some((level, i) => level < (levels[i - 1] ?? 0));
    if (hasFallen || (to === from && from < FULL_PERCENT)) return [];
    const evidence = { ...sensorWords(facts, sensorId), atTs: first.atTs, untilTs: last.atTs, percent: to };
    const kind = last.atTs - first.atTs > LONG_CHARGE_MS ? 'CALL_SUBJECT' : 'WAIT';
    return [makeCause('ON_CHARGER', evidence, { kind, target: { type: 'subject', id: facts.subject.id } })];
  });
}

/** A fault explains a gap whose distance from it is at most about the length of the gap. */
const LEAST_SLACK_MS = MINUTE_MS;

/** Shorter gaps are not worth a call to the subject. */
const LEAST_TO_ASK_MS = HOUR_MS;

/** Returns the causes reported for one sensor around a gap. */
export function reportedOf(facts: WhyFacts, sensorId: string, gap: TimeSpan): Cause[] {
  const only = new Set([sensorId]);
  const slackMs = Math.min(FAULT_SLACK_MS, Math.max(LEAST_SLACK_MS, gap.stopMs - gap.startMs));
  return [...chargerCauses(facts, gap, only), ...faultCauses(facts, gap, only, slackMs)];
}

type MarkedSpan = TimeSpan & { reason?: GapReason };

/** Returns the cause that the recording itself gives for a gap. A long one calls for a word with the subject. */
export function markedCauses(facts: WhyFacts, sensorId: string, { reason, startMs, stopMs }: MarkedSpan): Cause[] {
  if (!reason) return [];
  const evidence = { ...sensorWords(facts, sensorId), atTs: startMs, untilTs: stopMs };
  const call: Action = { kind: 'CALL_SUBJECT', target: { type: 'subject', id: facts.subject.id } };
  return [makeCause(reason, evidence, stopMs - startMs >= LEAST_TO_ASK_MS ? call : wait(facts))];
}

/** Returns why a recording that continues has no samples of a time; at least one cause. */
export function interruptionCauses(facts: WhyFacts, sensorId: string, gap: MarkedSpan): Cause[] {
  const known = [...reportedOf(facts, sensorId, gap), ...markedCauses(facts, sensorId, gap)];
  if (known.length > 0) return known;
  const evidence = { ...sensorWords(facts, sensorId), atTs: gap.startMs, untilTs: gap.stopMs };
  const call: Action = { kind: 'CALL_SUBJECT', target: { type: 'subject', id: facts.subject.id } };
  const isLong = gap.stopMs - gap.startMs >= LEAST_TO_ASK_MS;
  return [makeCause('SAMPLES_MISSING', evidence, isLong ? call : wait(facts))];
}

/** Returns why a recording with other signals has no ECG of a time; at least one cause. */
export function ecgCauses(facts: WhyFacts, sensorId: string, gap: TimeSpan): Cause[] {
  const reported = reportedOf(facts, sensorId, gap);
  if (reported.length > 0) return reported;
  const evidence = { ...sensorWords(facts, sensorId), atTs: gap.startMs, untilTs: gap.stopMs };
  const target: Action['target'] = { type: 'subject', id: facts.subject.id };
  const isLong = gap.stopMs - gap.startMs >= LEAST_TO_ASK_MS;
  return [makeCause('ECG_MISSING', evidence, isLong ? { kind: 'CHECK_ELECTRODES', target } : wait(facts))];
}

export function sensorWords({ sensors }: WhyFacts, id: string): Evidence {
  const known = sensors.find((sensor) => sensor.id === id);
  return { sensorId: id, ...(known && { sensorName: known.displayName }) };
}

export function deviceWords({ devices }: WhyFacts, id: string): Evidence {
  const known = devices.find((device) => device.id === id);
  return { deviceId: id, ...(known && { deviceName: known.displayName }) };
}
