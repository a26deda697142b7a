/** Whose recording a dock or a watched folder holds, or what a person must be asked. Pure. */
import type { TransferQuestion } from '../vocabulary/docks.ts';
import { type Closed, destinationOf, type SensorHolding } from './upload-rules.ts';

/**
 * A recorder's serial number as it is compared: labels of the maker (`AX317_39434`), names that people enter (`AX3-39434`) and
 * the bare number of the file are the same.
 */
export function serialKey(serial: string): string {
  return serial
    .trim()
    .toUpperCase()
    .replace(/^(?:AX[36](?:17|64)?|CWA(?:17|64)?)[-_ ]+/, '')
    .replace(/^0+(?=\d)/, '');
}

/** A label of the maker holds the last five digits of the serial number. False when it names another device. */
export function isLabelOf(label: string, serial: string): boolean {
  const digits = /^AX[36]\d*_(\d+)$/i.exec(label)?.[1];
  return digits === undefined || serial.padStart(5, '0').endsWith(digits);
}

export interface MatchInput {
  serial?: string | undefined;
  label?: string | undefined;
  /** Epoch ms, in the zone of the computer that configured the recorder. */
  startMs?: number | undefined;
  stopMs?: number | undefined;
  /** The registered equipment with this serial number. */
  equipmentIds: readonly string[];
  /** Of that equipment, where it is one. */
  holdings: readonly SensorHolding[];
  /** Stored recordings of that equipment that may share time with it. */
  others: readonly { id: string; startMs: number; stopMs: number }[];
  /** A shorter copy of the same session was taken before. */
  hasShorterCopy: boolean;
  /** The study of the watched folder. */
  studyId?: string | undefined;
  nowMs: number;
  closedBy: (studyId: string) => Closed | undefined;
}

export interface Match {
  /** The subject to whom it is offered or, with a question, who is presumed. */
  studyId?: string;
  subjectId?: string;
  /** When the presumed holder had it, epoch ms. */
  heldFromTs?: number;
  heldUntilTs?: number;
  question?: { code: TransferQuestion; message: string };
}

/** Decides by the rule of uploads (`destinationOf`), and asks about all that this cannot know. */
export function matchOf(input: MatchInput): Match {
  const { serial, label, startMs, stopMs, equipmentIds, holdings, studyId } = input;
  const asks = (code: TransferQuestion, message: string, presumed: Match = {}): Match => ({
    ...presumed,
    question: { code, message },
  });
  if (serial === undefined) return asks('NO_SERIAL', 'The file does not say which device recorded it.');
  if (equipmentIds.length === 0) {
    return asks(
      'SERIAL_UNKNOWN',
      `The device ${serial} is not in the equipment register of this site. It may belong to another site.`,
    );
  }
  if (equipmentIds.length > 1) {
    return asks('SERIAL_AMBIGUOUS', `Several devices are registered with this number: ${equipmentIds.join(', ')}.`);
  }
  if (startMs === undefined || stopMs === undefined)
    return asks('NO_TIMES', 'The file does not say when it was recorded.', presumedHolder(holdings));
  const destination = destinationOf(
    { startMs, stopMs, isOtherSensor: label !== undefined && !isLabelOf(label, serial) },
    holdings,
    input.others,
    input.nowMs,
    input.closedBy,
  );
  const presumed =
    destination.subjectId === undefined
      ? presumedHolder(holdings, startMs, stopMs)
      : periodOf(holdings, destination.subjectId, startMs, stopMs);
  if ('code' in destination) return asks(destination.code, destination.message, presumed);
  if (input.hasShorterCopy) {
    return asks('LONGER_COPY', 'A shorter copy of this recording was taken before; since then it has grown.', presumed);
  }
  if (studyId !== undefined && destination.studyId !== studyId) {
    return asks('OTHER_STUDY', 'The device was handed to a subject of another study than that of the folder.');
  }
  return presumed;
}

const overlaps = ({ assignedTs, unassignedTs = Infinity }: SensorHolding, startMs: number, stopMs: number) =>
  assignedTs < stopMs && startMs < unassignedTs;

/** The only subject who held it meanwhile, as a suggestion. */
function presumedHolder(holdings: readonly SensorHolding[], startMs = -Infinity, stopMs = Infinity): Match {
  const subjects = [
    ...new Set(holdings.filter((one) => overlaps(one, startMs, stopMs)).map(({ subjectId }) => subjectId)),
  ];
  return subjects.length === 1 ? periodOf(holdings, subjects[0]!, startMs, stopMs) : {};
}

function periodOf(holdings: readonly SensorHolding[], subjectId: string, startMs: number, stopMs: number): Match {
  const own = holdings.filter((holding) => holding.subjectId === subjectId);
  const held = own.filter((one) => overlaps(one, startMs, stopMs)).at(-1) ?? own.at(-1);
  if (!held) return {};
  const { studyId, assignedTs, unassignedTs } = held;
  return {
    studyId,
    subjectId,
    heldFromTs: assignedTs,
    ...(unassignedTs !== undefined && { heldUntilTs: unassignedTs }),
  };
}
