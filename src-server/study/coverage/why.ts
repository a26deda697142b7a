/**
 * Why a subject has no data at a time: what is known of the study, the equipment, the data path and the analysis, turned
 * into causes in order. A cause is only told with the facts that it rests on. Pure.
 */
import { type Action, type Cause, type CauseCode, type Evidence, inOrder, makeCause } from './causes.ts';
import { type PathItem, spanOf } from './days.ts';
import type { DeviceFacts, SensorFacts, WhyFacts } from './facts.ts';
import { chargerCauses, deviceWords, faultCauses, sensorWords } from './reported.ts';
import { clip, holesIn, lengthMs, type TimeSpan } from './spans.ts';

export interface Hole extends TimeSpan {
  /** Only this placement has no data; others recorded. */
  location?: string;
  causes: Cause[];
}

export interface WhyNoData {
  /** Time with at least one stored recording. */
  recordedSeconds: number;
  holes: Hole[];
  causes: Cause[];
}

/** Sensors stop and start in shorter times than this in ordinary use. */
const LEAST_HOLE_MS = 5 * 60_000;
/** An upload that moved within this time is under way. */
const STALLED_AFTER_MS = 30 * 60_000;
const FLAT_BATTERY_PERCENT = 5;
/** Less unworn time than this is a shower, not a reason to call. */
const LEAST_UNWORN_SECONDS = 3600;
/** Below this share of the worn time a heart signal counts as unreadable. */
const LEAST_READABLE_SHARE = 0.1;

export const isStored = (item: PathItem) =>
  (item.state === 'VERIFIED' || item.state === 'ANALYSED') && item.fileProblem === undefined;

/** Holes of a span (a local day, say) with their causes; what is still to come is no hole. */
export function whyNoData(facts: WhyFacts, span: TimeSpan): WhyNoData {
  const past = clip(span, { startMs: Number.NEGATIVE_INFINITY, stopMs: facts.nowMs });
  if (!past) {
    const cause = makeCause('DAY_TO_COME', {}, wait(facts));
    return { recordedSeconds: 0, holes: [], causes: [cause] };
  }
  const stored = facts.path.filter((item) => isStored(item) && clip(spanOf(item), past));
  const emptySpans = holesIn(stored.map(spanOf), past);
  const recordedSeconds = Math.round((past.stopMs - past.startMs - lengthMs(emptySpans)) / 1000);
  const long = (hole: TimeSpan) => hole.stopMs - hole.startMs >= LEAST_HOLE_MS;
  const holes: Hole[] = emptySpans.filter(long).map((hole) => ({ ...hole, causes: causesOf(facts, hole, undefined) }));
  for (const [location, sensorIds] of placements(facts, past)) {
    const own = stored.filter((item) => item.location === location);
    const alone = holesIn([...own.map(spanOf), ...emptySpans], past).filter(long);
    for (const hole of alone) {
      const causes = causesOf(facts, hole, sensorIds);
      if (causes.length > 0) holes.push({ ...hole, location, causes });
    }
  }
  holes.sort((a, b) => a.startMs - b.startMs || (a.location ?? '').localeCompare(b.location ?? ''));
  const causes = inOrder([...holes.flatMap((hole) => hole.causes), ...processing(facts, stored, recordedSeconds)]);
  return { recordedSeconds, holes, causes };
}

/** Placements that the subject's sensors are known to record at, with the sensors that were held in the span. */
function placements(facts: WhyFacts, span: TimeSpan): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const held = new Set(facts.holdings.filter((holding) => clip(holding, span)).map(({ sensorId }) => sensorId));
  for (const { sensorId, location } of facts.path) {
    if (location === undefined || !held.has(sensorId)) continue;
    found.set(location, (found.get(location) ?? new Set()).add(sensorId));
  }
  return found;
}

export const wait = ({ subject }: WhyFacts): Action => ({ kind: 'WAIT', target: { type: 'subject', id: subject.id } });

function causesOf(facts: WhyFacts, hole: TimeSpan, only: ReadonlySet<string> | undefined): Cause[] {
  const settled = settledCauses(facts, hole);
  if (settled.length > 0) return settled;
  const onTheWay = facts.path.filter(
    (item) =>
      !isStored(item) &&
      (only === undefined || only.has(item.sensorId)) &&
      (item.hasWrongClock ? (item.reportedTs ?? 0) >= hole.startMs : clip(spanOf(item), hole)),
  );
  const found = onTheWay.map((item) => pathCause(facts, item));
  const known = onTheWay.filter(({ hasWrongClock }) => !hasWrongClock).map(spanOf);
  const open = holesIn(known, hole).filter(({ startMs, stopMs }) => stopMs - startMs >= LEAST_HOLE_MS);
  for (const rest of open) found.push(...openCauses(facts, rest, only));
  return inOrder(found);
}

/** What makes every other cause idle. */
export function settledCauses({ study, subject }: WhyFacts, hole: TimeSpan): Cause[] {
  const showStudy: Action = { kind: 'SHOW_STUDY', target: { type: 'study', id: study.id } };
  const showSubject: Action = { kind: 'SHOW_SUBJECT', target: { type: 'subject', id: subject.id } };
  if (study.stoppedTs !== undefined && study.state === 'COMPLETE' && hole.startMs >= study.stoppedTs) {
    const reopen: Action = { kind: 'REOPEN_STUDY', target: { type: 'study', id: study.id } };
    return [makeCause('STUDY_STOPPED', { atTs: study.stoppedTs }, reopen)];
  }
  if (hole.stopMs <= subject.createdTs)
    return [makeCause('BEFORE_ENROLMENT', { atTs: subject.createdTs }, showSubject)];
  if (study.startedTs !== undefined && hole.stopMs <= study.startedTs)
    return [makeCause('BEFORE_STUDY_START', { atTs: study.startedTs }, showStudy)];
  return [];
}

export function pathCause(facts: WhyFacts, item: PathItem): Cause {
  const evidence: Evidence = {
    ...sensorWords(facts, item.sensorId),
    ...(item.deviceId !== undefined && deviceWords(facts, item.deviceId)),
    recordingId: item.recordingId,
    sizeBytes: item.sizeBytes,
    ...(item.uploadId !== undefined && { uploadId: item.uploadId }),
    ...(item.receivedBytes !== undefined && { receivedBytes: item.receivedBytes }),
    ...(item.code !== undefined && { code: item.code }),
    ...(item.message !== undefined && { detail: item.message }),
    ...(item.reportedTs !== undefined && { atTs: item.reportedTs }),
  };
  const device: Action['target'] = { type: 'equipment', id: item.deviceId ?? item.sensorId };
  const upload: Action['target'] = { type: 'upload', id: item.uploadId ?? item.recordingId };
  const recording: Action['target'] = { type: 'recording', id: item.recordingId };
  const tell = (code: CauseCode, kind: Action['kind'], target: Action['target']) =>
    makeCause(code, evidence, { kind, target });
  if (item.fileProblem !== undefined) return tell('RECORDING_DAMAGED', 'RESTORE_RECORDING', recording);
  switch (item.state) {
    case 'QUARANTINED':
      return tell(item.hasWrongClock ? 'CLOCK_WRONG' : 'UPLOAD_QUARANTINED', 'DECIDE_UPLOAD', upload);
    case 'REJECTED':
      if (item.refusedBy === 'STAFF') return tell('UPLOAD_REJECTED', 'SHOW_UPLOAD', upload);
      if (item.refusedBy === 'SITE') return makeCause('UPLOAD_REFUSED', evidence, refusalAction(facts, item));
      return tell('RECORDING_REJECTED', 'RESTORE_RECORDING', recording);
    case 'RECEIVING':
      return facts.nowMs - (item.reportedTs ?? 0) > STALLED_AFTER_MS
        ? tell('UPLOAD_STALLED', 'CHECK_DEVICE', device)
        : tell('UPLOAD_IN_PROGRESS', 'WAIT', upload);
    case 'ON_HUB':
      if (facts.devices.some(({ id, isRevoked }) => id === item.deviceId && isRevoked))
        return tell('DEVICE_REVOKED', 'PAIR_DEVICE', device);
      return tell('HUB_HOLDS', 'CHECK_DEVICE', device);
    case 'ON_SENSOR':
      return tell('SENSOR_HOLDS', 'PUT_ON_HUB', { type: 'equipment', id: item.sensorId });
    default:
      return tell('BEING_CHECKED', 'WAIT', upload);
  }
}

/** What puts right what the site refused. */
function refusalAction({ study, subject }: WhyFacts, item: PathItem): Action {
  if (item.code === 'STUDY_COMPLETE') return { kind: 'REOPEN_STUDY', target: { type: 'study', id: study.id } };
  if (item.code === 'SENSOR_UNKNOWN' || item.code === 'SENSOR_UNASSIGNED')
    return { kind: 'ASSIGN_EQUIPMENT', target: { type: 'subject', id: subject.id } };
  return { kind: 'CHECK_DEVICE', target: { type: 'equipment', id: item.deviceId ?? item.sensorId } };
}

/** Nothing is known of a recording of this time: what was reported around it, and what that leaves as possible. */
export function openCauses(facts: WhyFacts, hole: TimeSpan, only: ReadonlySet<string> | undefined): Cause[] {
  const { study, subject } = facts;
  const target: Action['target'] = { type: 'subject', id: subject.id };
  if (study.state === 'INITIALIZED')
    return [makeCause('STUDY_NOT_STARTED', {}, { kind: 'START_STUDY', target: { type: 'study', id: study.id } })];
  const held = new Set(facts.holdings.filter((holding) => clip(holding, hole)).map(({ sensorId }) => sensorId));
  const sensors = facts.sensors.filter(({ id }) => held.has(id) && (only === undefined || only.has(id)));
  if (subject.programEndMs !== undefined && hole.startMs >= subject.programEndMs) {
    const kind = sensors.length > 0 ? 'TAKE_BACK_EQUIPMENT' : 'SHOW_SUBJECT';
    return [makeCause('PROGRAM_OVER', { atTs: subject.programEndMs }, { kind, target })];
  }
  if (subject.isHidden) return [makeCause('SUBJECT_HIDDEN', {}, { kind: 'SHOW_SUBJECT', target })];
  if (sensors.length === 0) return [makeCause('NOTHING_ASSIGNED', {}, { kind: 'ASSIGN_EQUIPMENT', target })];
  const ids = new Set(sensors.map(({ id }) => id));
  const reported = [...chargerCauses(facts, hole, ids), ...faultCauses(facts, hole, ids)];
  const isExplained = reported.some(({ topic }) => topic === 'wear');
  return isExplained ? reported : [...reported, ...transportCauses(facts, hole, sensors)];
}

/**
 * The device that most likely brings the data: one that the subject holds, however often those of the clinic are heard of,
 * unless a sensor was at hand elsewhere since.
 */
function nearestDevice(usable: readonly DeviceFacts[], sensors: readonly SensorFacts[]): DeviceFacts {
  const newest = (devices: readonly DeviceFacts[]) =>
    devices.reduce((a, b) => ((b.lastContactTs ?? 0) > (a.lastContactTs ?? 0) ? b : a));
  const held = usable.filter(({ isHeldNow }) => isHeldNow);
  if (held.length === 0) return newest(usable);
  const own = newest(held);
  const wasElsewhere = sensors.some(({ lastContactTs = 0 }) => lastContactTs > (own.lastContactTs ?? 0));
  return wasElsewhere ? newest(usable) : own;
}

function transportCauses(facts: WhyFacts, hole: TimeSpan, sensors: readonly SensorFacts[]): Cause[] {
  const { subject, devices } = facts;
  const usable = devices.filter(({ isRevoked }) => !isRevoked);
  const [revoked] = devices;
  if (usable.length === 0) {
    if (!revoked)
      return [makeCause('NO_DEVICE', {}, { kind: 'PAIR_DEVICE', target: { type: 'subject', id: subject.id } })];
    const target: Action['target'] = { type: 'equipment', id: revoked.id };
    return [makeCause('DEVICE_REVOKED', deviceWords(facts, revoked.id), { kind: 'PAIR_DEVICE', target })];
  }
  const nearest = nearestDevice(usable, sensors);
  if ((nearest.lastContactTs ?? 0) < hole.stopMs && facts.nowMs - (nearest.lastContactTs ?? 0) > STALLED_AFTER_MS) {
    const evidence = {
      ...deviceWords(facts, nearest.id),
      ...(nearest.lastContactTs !== undefined && { atTs: nearest.lastContactTs }),
    };
    const target: Action['target'] = { type: 'equipment', id: nearest.id };
    return [makeCause('DEVICE_NOT_SEEN', evidence, { kind: 'CHECK_DEVICE', target })];
  }
  return sensors.map((sensor) => {
    const target: Action['target'] = { type: 'equipment', id: sensor.id };
    const evidence: Evidence = {
      ...sensorWords(facts, sensor.id),
      ...(sensor.lastContactTs !== undefined && { atTs: sensor.lastContactTs }),
    };
    if (sensor.batteryPercent !== undefined && sensor.batteryPercent <= FLAT_BATTERY_PERCENT) {
      return makeCause('FLAT_BATTERY', { ...evidence, percent: sensor.batteryPercent }, { kind: 'CHARGE', target });
    }
    if ((sensor.lastContactTs ?? 0) < hole.stopMs && facts.nowMs - (sensor.lastContactTs ?? 0) > STALLED_AFTER_MS)
      return makeCause('SENSOR_NOT_SEEN', evidence, { kind: 'PUT_ON_HUB', target });
    const hasRecorded = facts.path.some(({ sensorId }) => sensorId === sensor.id);
    const call: Action = { kind: 'CALL_SUBJECT', target: { type: 'subject', id: subject.id } };
    return makeCause(hasRecorded ? 'NOT_RECORDING' : 'NEVER_RECORDED', evidence, call);
  });
}

/** Recorded and here, and yet without numbers. */
function processing(facts: WhyFacts, stored: readonly PathItem[], recordedSeconds: number): Cause[] {
  // Where the analysis found nobody wearing anything, it made no day.
  const { subject, day = { wornSeconds: 0, heartSeconds: 0 } } = facts;
  const causes: Cause[] = [];
  for (const item of stored.filter(({ state }) => state === 'VERIFIED')) {
    const own = facts.analyses.filter(({ fromMs, toMs }) => clip(spanOf(item), { startMs: fromMs, stopMs: toMs }));
    const failed = own.find(({ hasFailed }) => hasFailed);
    if (!failed) {
      causes.push(makeCause('ANALYSIS_WAITING', own[0] ? { jobId: own[0].jobId } : {}, wait(facts)));
      continue;
    }
    const evidence = { jobId: failed.jobId, ...(failed.detail !== undefined && { detail: failed.detail }) };
    const target: Action['target'] = { type: 'job', id: failed.jobId };
    causes.push(makeCause('ANALYSIS_FAILED', evidence, { kind: 'RETRY_JOB', target }));
  }
  const target: Action['target'] = { type: 'subject', id: subject.id };
  if (stored.every(({ state }) => state === 'ANALYSED')) {
    const unworn = recordedSeconds - day.wornSeconds;
    if (unworn >= LEAST_UNWORN_SECONDS)
      causes.push(makeCause('NOT_WORN', { seconds: unworn }, { kind: 'CALL_SUBJECT', target }));
    const hasHeart = stored.some(({ location }) => location !== undefined && HEART_LOCATIONS.has(location));
    const readable = day.heartSeconds / Math.max(1, day.wornSeconds);
    if (hasHeart && day.wornSeconds >= LEAST_UNWORN_SECONDS && readable < LEAST_READABLE_SHARE) {
      const evidence = { seconds: day.heartSeconds };
      causes.push(makeCause('SIGNAL_UNREADABLE', evidence, { kind: 'CHECK_ELECTRODES', target }));
    }
  }
  return causes;
}

const HEART_LOCATIONS: ReadonlySet<string> = new Set(['MEDIAL_CHEST', 'ECG_LEAD_II', 'PECTORALIS']);
