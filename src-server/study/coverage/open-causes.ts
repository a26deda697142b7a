/** Causes for times without any known recording, from what was reported around them. Pure. */
import { type Action, type Cause, type Evidence, makeCause } from './causes.ts';
import type { PathItem } from './days.ts';
import {
  type DeviceFacts,
  isStored,
  LEAST_HOLE_MS,
  type SensorFacts,
  STALLED_AFTER_MS,
  type WhyFacts,
  wait,
} from './facts.ts';
import { chargerCauses, deviceWords, faultCauses, interruptionCauses, sensorWords } from './reported.ts';
import { clip, holesIn, type TimeSpan } from './spans.ts';

const FLAT_BATTERY_PERCENT = 5;

type Only = ReadonlySet<string> | undefined;

const long = ({ startMs, stopMs }: TimeSpan) => stopMs - startMs >= LEAST_HOLE_MS;

/** True when two spans overlap by more than an ordinary pause of a sensor. */
function overlap(a: TimeSpan, b: TimeSpan): boolean {
  const shared = clip(a, b);
  return shared !== undefined && long(shared);
}

/** Returns the possible causes for a time without any known recording, from what was reported around it. */
export function openCauses(facts: WhyFacts, hole: TimeSpan, only: Only): Cause[] {
  const interrupted = interruptions(facts, hole, only);
  if (interrupted.length === 0) return partsOf(facts, hole).flatMap((part) => causesOfPart(facts, part, only));
  const causes = interrupted.flatMap(({ sensorId, breaks = [] }) =>
    breaks.filter((gap) => overlap(gap, hole)).flatMap((gap) => interruptionCauses(facts, sensorId, gap)),
  );
  const isWhole = (sensorId: string) => {
    const breaks = interrupted.filter((item) => item.sensorId === sensorId).flatMap((item) => item.breaks ?? []);
    return !holesIn(breaks, hole).some(long);
  };
  const others = heldIn(facts, hole, only).filter(({ id }) => !isWhole(id));
  if (others.length > 0) return [...causes, ...sensorCauses(facts, hole, others)];
  const breaks = interrupted.flatMap((item) => item.breaks ?? []);
  const rest = holesIn(breaks, hole).filter(long);
  return [
    ...causes,
    ...rest.flatMap((span) => partsOf(facts, span)).flatMap((part) => causesOfPart(facts, part, only)),
  ];
}

/** Recordings without samples in this time that continue after it. */
function interruptions({ path }: WhyFacts, hole: TimeSpan, only: Only): PathItem[] {
  const isBroken = ({ breaks = [] }: PathItem) => breaks.some((gap) => overlap(gap, hole));
  return path.filter((item) => isStored(item) && (only === undefined || only.has(item.sensorId)) && isBroken(item));
}

const subjectOf = ({ subject }: WhyFacts): Action['target'] => ({ type: 'subject', id: subject.id });

/** Splits a hole where the subject or the study starts and where the program ends, because other causes apply on either side. */
function partsOf({ study, subject, nowMs }: WhyFacts, hole: TimeSpan): TimeSpan[] {
  const cuts = [subject.createdTs, study.startedTs, study.stoppedTs, subject.programEndMs]
    .filter((ms): ms is number => ms !== undefined && ms > hole.startMs && ms < hole.stopMs)
    .sort((a, b) => a - b);
  const edges = [hole.startMs, ...cuts, hole.stopMs];
  const parts = edges.slice(1).map((stopMs, i) => ({ startMs: edges[i]!, stopMs }));
  // Keep the part that reaches the present, however short: something can still be done about it.
  const kept = parts.filter((part) => long(part) || part.stopMs >= nowMs);
  return kept.length > 0 ? kept : [hole];
}

function heldIn({ holdings, sensors }: WhyFacts, span: TimeSpan, only: Only): SensorFacts[] {
  const held = new Set(holdings.filter((holding) => clip(holding, span)).map(({ sensorId }) => sensorId));
  return sensors.filter(({ id }) => held.has(id) && (only === undefined || only.has(id)));
}

/** Causes for time before the subject or the study started. */
export function earlyCause({ study, subject }: WhyFacts, part: TimeSpan): Cause | undefined {
  if (part.stopMs <= subject.createdTs) {
    const target: Action['target'] = { type: 'subject', id: subject.id };
    return makeCause('BEFORE_ENROLMENT', { atTs: subject.createdTs }, { kind: 'SHOW_SUBJECT', target });
  }
  if (study.startedTs === undefined || part.stopMs > study.startedTs) return undefined;
  const target: Action['target'] = { type: 'study', id: study.id };
  return makeCause('BEFORE_STUDY_START', { atTs: study.startedTs }, { kind: 'SHOW_STUDY', target });
}

/** A stopped study accepts no data that is still on its way. */
export function stoppedCause({ study }: WhyFacts, part: TimeSpan): Cause | undefined {
  if (study.state !== 'COMPLETE' || study.stoppedTs === undefined || part.startMs < study.stoppedTs) return undefined;
  const reopen: Action = { kind: 'REOPEN_STUDY', target: { type: 'study', id: study.id } };
  return makeCause('STUDY_STOPPED', { atTs: study.stoppedTs }, reopen);
}

function causesOfPart(facts: WhyFacts, part: TimeSpan, only: Only): Cause[] {
  const { study, subject } = facts;
  const target = subjectOf(facts);
  const ofStudy: Action['target'] = { type: 'study', id: study.id };
  const settled = earlyCause(facts, part) ?? stoppedCause(facts, part);
  if (settled) return [settled];
  if (study.state === 'INITIALIZED')
    return [makeCause('STUDY_NOT_STARTED', {}, { kind: 'START_STUDY', target: ofStudy })];
  const sensors = heldIn(facts, part, only);
  const strangers = strangersIn(facts, part, only);
  if (subject.programEndMs !== undefined && part.startMs >= subject.programEndMs) {
    const kind = sensors.length > 0 ? 'TAKE_BACK_EQUIPMENT' : 'SHOW_SUBJECT';
    return [makeCause('PROGRAM_OVER', { atTs: subject.programEndMs }, { kind, target })];
  }
  if (subject.isHidden) return [makeCause('SUBJECT_HIDDEN', {}, { kind: 'SHOW_SUBJECT', target })];
  const causes = sensors.length > 0 ? sensorCauses(facts, part, sensors) : strangers;
  const isHeld = new Set(sensors.map(({ id }) => id));
  const unheld = holesIn(
    facts.holdings.filter(({ sensorId }) => isHeld.has(sensorId)),
    part,
  );
  if (only === undefined && strangers.length === 0 && (sensors.length === 0 || unheld.some(long))) {
    // A subject who holds a sensor by now needs no assignment for a past time.
    const hasNow = facts.holdings.some(
      ({ sensorId, stopMs }) => stopMs > facts.nowMs && facts.sensors.some(({ id }) => id === sensorId),
    );
    causes.push(makeCause('NOTHING_ASSIGNED', {}, { kind: hasNow ? 'WAIT' : 'ASSIGN_EQUIPMENT', target }));
  }
  return causes;
}

/**
 * Sensors that the subject wore without an assignment, as recordings on either side show: unregistered or imported ones. With `only`,
 * those of one placement that recorded nothing afterwards either.
 */
function strangersIn(facts: WhyFacts, part: TimeSpan, only: Only): Cause[] {
  const { path, holdings } = facts;
  const registered = new Set(holdings.map(({ sensorId }) => sensorId));
  const own = path.filter(
    (item) => isStored(item) && !registered.has(item.sensorId) && (only?.has(item.sensorId) ?? true),
  );
  return [...Map.groupBy(own, ({ sensorId }) => sensorId)].flatMap(([sensorId, items]) => {
    const evidence: Evidence = { ...sensorWords(facts, sensorId), atTs: part.startMs, untilTs: part.stopMs };
    const isBefore = items.some(({ startTs }) => startTs < part.startMs);
    const isAfter = items.some(({ stopTs }) => stopTs >= part.stopMs);
    if (isBefore && isAfter) return [makeCause('RECORDING_STOPPED', evidence, wait(facts))];
    return only === undefined ? [] : [makeCause('REASON_UNKNOWN', evidence, wait(facts))];
  });
}

function sensorCauses(facts: WhyFacts, hole: TimeSpan, sensors: readonly SensorFacts[]): Cause[] {
  const ids = new Set(sensors.map(({ id }) => id));
  const reported = [...chargerCauses(facts, hole, ids), ...faultCauses(facts, hole, ids)];
  const isExplained = reported.some(({ topic }) => topic === 'wear');
  return isExplained ? reported : [...reported, ...transportCauses(facts, hole, sensors)];
}

const newest = (devices: readonly DeviceFacts[]): DeviceFacts | undefined =>
  devices.reduce<DeviceFacts | undefined>(
    (a, b) => (a === undefined || (b.lastContactTs ?? 0) > (a.lastContactTs ?? 0) ? b : a),
    undefined,
  );

/**
 * Returns why recorded data may not have arrived. The devices that the subject holds decide: while they are silent they may hold the
 * data, however often those of the clinic make contact. Sensors that another device reached since get a cause of their own.
 */
function transportCauses(facts: WhyFacts, hole: TimeSpan, sensors: readonly SensorFacts[]): Cause[] {
  const { subject, devices, nowMs } = facts;
  const held = devices.filter(({ isHeldNow }) => isHeldNow);
  const bringing = held.length > 0 ? held : devices;
  const [any] = bringing;
  if (!any) return [makeCause('NO_DEVICE', {}, { kind: 'PAIR_DEVICE', target: { type: 'subject', id: subject.id } })];
  const isSilentSince = (lastContactTs = 0) => lastContactTs < hole.stopMs && nowMs - lastContactTs > STALLED_AFTER_MS;
  const nearest = newest(bringing.filter(({ isRevoked }) => !isRevoked));
  const device = nearest ?? any;
  const target: Action['target'] = { type: 'equipment', id: device.id };
  const { lastContactTs = 0 } = device;
  const causes: Cause[] = [];
  if (!nearest) {
    causes.push(makeCause('DEVICE_REVOKED', deviceWords(facts, device.id), { kind: 'PAIR_DEVICE', target }));
  } else if (isSilentSince(nearest.lastContactTs)) {
    const since = nearest.lastContactTs !== undefined && { atTs: nearest.lastContactTs };
    const evidence = { ...deviceWords(facts, nearest.id), ...since };
    causes.push(makeCause('DEVICE_NOT_SEEN', evidence, { kind: 'CHECK_DEVICE', target }));
  }
  const told =
    causes.length === 0
      ? sensors
      : held.length > 0
        ? sensors.filter((sensor) => (sensor.lastContactTs ?? 0) > lastContactTs)
        : [];
  return [...causes, ...told.map((sensor) => silentSensorCause(facts, sensor, isSilentSince))];
}

/** Returns the cause for one sensor whose devices are in contact. */
function silentSensorCause(
  facts: WhyFacts,
  sensor: SensorFacts,
  isSilentSince: (lastContactTs: number | undefined) => boolean,
): Cause {
  const target: Action['target'] = { type: 'equipment', id: sensor.id };
  const evidence: Evidence = {
    ...sensorWords(facts, sensor.id),
    ...(sensor.lastContactTs !== undefined && { atTs: sensor.lastContactTs }),
  };
  if (sensor.batteryPercent !== undefined && sensor.batteryPercent <= FLAT_BATTERY_PERCENT) {
    return makeCause('FLAT_BATTERY', { ...evidence, percent: sensor.batteryPercent }, { kind: 'CHARGE', target });
  }
  if (isSilentSince(sensor.lastContactTs))
    return makeCause('SENSOR_NOT_SEEN', evidence, { kind: 'PUT_ON_HUB', target });
  const hasRecorded = facts.path.some(({ sensorId }) => sensorId === sensor.id);
  const call: Action = { kind: 'CALL_SUBJECT', target: { type: 'subject', id: facts.subject.id } };
  return makeCause(hasRecorded ? 'NOT_RECORDING' : 'NEVER_RECORDED', evidence, call);
}
