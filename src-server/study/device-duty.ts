/**
 * Which sensors a device may speak for. A phone, or a hub that a subject holds, speaks for the sensors of that subject; a hub
 * that nobody holds stands in the clinic and speaks for every sensor of the site. Equipment changes hands, so the rule is asked
 * for an instant. Epoch ms.
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
  /** Of a phone that signed in for a subject; it never changes hands. */
  ownSubjectId?: string;
  /** Of the equipment that a paired device is. */
  holdings: readonly Holding[];
}

function holderAt(holdings: readonly Holding[], atTs: number): string | undefined {
  return holdings.find(
    ({ assignedTs, unassignedTs }) => assignedTs <= atTs && atTs < (unassignedTs ?? Number.POSITIVE_INFINITY),
  )?.subjectId;
}

/** The subject that a sensor's data of an instant is of: who held it then, or, where the instant says nothing, who does now. */
export function sensorSubject(sensor: readonly Holding[], atTs: number, nowTs: number): string | undefined {
  return holderAt(sensor, atTs) ?? holderAt(sensor, nowTs) ?? sensor.at(-1)?.subjectId;
}

/**
 * True when a device may report on a subject's sensor: on its clock, battery and faults.
 * @param atTs what the report is of; a device also speaks for whom it served then
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
 * True when a device may deliver a recording that begins at `atTs`. A recording may have been taken off its sensor by anyone
 * who has held the device since, and by the clinic in between: refusing it could lose it.
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

/** True when nobody held the device for some of the time since `atTs`. `holdings` ascend in time. */
function stoodInClinic(holdings: readonly Holding[], atTs: number): boolean {
  let coveredTs = atTs;
  for (const { assignedTs, unassignedTs } of holdings) {
    if (assignedTs > coveredTs) return true;
    if (unassignedTs === undefined) return false;
    coveredTs = Math.max(coveredTs, unassignedTs);
  }
  return true;
}
