/**
 * Which sensors a device may report on. A phone, or a hub that a subject holds, may for the sensors of that subject; an unassigned hub
 * is in the clinic and may for every sensor of the site. Equipment is reassigned, so the rule takes an instant. Epoch ms.
 */

/** Who held a piece of equipment from when to when. */
export interface Holding {
  subjectId: string;
  assignedTs: number;
  /** Absent while it is still held. */
  unassignedTs?: number;
}

export interface DutyDevice {
  kind: 'HUB' | 'PHONE';
  /** The subject of a phone that signed in for one; it never changes. */
  ownSubjectId?: string;
  /** Holdings of the equipment that the paired device is. */
  holdings: readonly Holding[];
}

function holderAt(holdings: readonly Holding[], atTs: number): string | undefined {
  return holdings.find(
    ({ assignedTs, unassignedTs }) => assignedTs <= atTs && atTs < (unassignedTs ?? Number.POSITIVE_INFINITY),
  )?.subjectId;
}

/** Returns the subject of a sensor's data at an instant: its holder then or, when the instant cannot be trusted, its holder now. */
export function sensorSubject(sensor: readonly Holding[], atTs: number, nowTs: number): string | undefined {
  return holderAt(sensor, atTs) ?? holderAt(sensor, nowTs) ?? sensor.at(-1)?.subjectId;
}

/**
 * True when a device may report on a subject's sensor: on its clock, battery and faults.
 * @param atTs the instant that the report is about; a device may also report for the subject it served then
 * @param nowTs when the report arrived
 */
export function mayReportFor(
  device: DutyDevice,
  subjectId: string | undefined,
  { atTs, nowTs }: { atTs: number; nowTs: number },
): boolean {
  if (device.ownSubjectId !== undefined) return device.ownSubjectId === subjectId;
  const present = holderAt(device.holdings, nowTs);
  if (present === undefined && device.kind === 'HUB') return true;
  return subjectId !== undefined && (present === subjectId || holderAt(device.holdings, atTs) === subjectId);
}

/**
 * True when a device may deliver a recording that begins at `atTs`. Any holder of the
 * device since then may have read it from the sensor, and so may the clinic in between; refusing it could lose it.
 */
export function mayDeliverFor(
  device: DutyDevice,
  subjectId: string | undefined,
  { atTs, nowTs }: { atTs: number; nowTs: number },
): boolean {
  if (mayReportFor(device, subjectId, { atTs, nowTs })) return true;
  if (device.ownSubjectId !== undefined) return false;
  const since = device.holdings.filter(({ unassignedTs = Number.POSITIVE_INFINITY }) => unassignedTs > atTs);
  if (since.some((holding) => holding.subjectId === subjectId)) return true;
  return device.kind === 'HUB' && stoodInClinic(since, atTs);
}

/** True when the device was unassigned for some of the time since `atTs`. `holdings` ascend in time. */
function stoodInClinic(holdings: readonly Holding[], atTs: number): boolean {
  let coveredTs = atTs;
  for (const { assignedTs, unassignedTs } of holdings) {
    if (assignedTs > coveredTs) return true;
    if (unassignedTs === undefined) return false;
    coveredTs = Math.max(coveredTs, unassignedTs);
  }
  return true;
}
