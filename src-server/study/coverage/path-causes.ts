/** Causes for known recordings that have not arrived: their state, and what moves them forward. Pure. */
import { type Action, type Cause, type CauseCode, type Evidence, makeCause } from './causes.ts';
import type { PathItem } from './days.ts';
import { STALLED_AFTER_MS, type WhyFacts } from './facts.ts';
import { deviceWords, sensorWords } from './reported.ts';

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

/** The action that resolves a refusal by the site. */
function refusalAction({ study, subject }: WhyFacts, item: PathItem): Action {
  if (item.code === 'STUDY_COMPLETE') return { kind: 'REOPEN_STUDY', target: { type: 'study', id: study.id } };
  if (item.code === 'SENSOR_UNKNOWN' || item.code === 'SENSOR_UNASSIGNED')
    return { kind: 'ASSIGN_EQUIPMENT', target: { type: 'subject', id: subject.id } };
  return { kind: 'CHECK_DEVICE', target: { type: 'equipment', id: item.deviceId ?? item.sensorId } };
}
