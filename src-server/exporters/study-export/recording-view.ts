/** The de-identified view of a single recording, with the codes and shift of the de-identified exports of its study. */
import type { SubjectRecord } from '../../db/index.ts';
import type { SignalView } from '../../signals/index.ts';
import type { DayClock } from '../../study/day-windows.ts';
import { NO_WORDS } from '../../study/export-formats.ts';
import type { RecordingFormatName } from '../../study/recording-formats.ts';
import { Deidentifier } from './deidentifier.ts';
import { Disclosing } from './disclosure.ts';
import { SIGNAL_LABELS } from './known-codes.ts';
import { signalView } from './signal-disclosure.ts';
import { shiftedFrame } from './subject-frame.ts';

/** EDF dates begin in 1985. */
const EDF_START_US = Date.UTC(1985, 0, 2) * 1000;
/** 40 years in whole weeks: with a shift of 20 to 30 years into the past, 10 to 20 years ahead of the true date. */
const EDF_FURTHER_US = 2087 * 7 * 86_400 * 1e6;

interface RecordingDeidentification {
  /** Derives codes and shifts. */
  key: Uint8Array;
  subject: Pick<SubjectRecord, 'id' | 'createdTs'>;
  /** Time zones of the subject. */
  zones: DayClock;
  /** Start of the recording, epoch microseconds. */
  startUs: number;
}

export function recordingView(
  { key, subject, zones, startUs }: RecordingDeidentification,
  format: RecordingFormatName,
): SignalView {
  const deidentifier = new Deidentifier(key);
  const disclosing = new Disclosing(deidentifier, NO_WORDS, new Set(), SIGNAL_LABELS);
  const view = signalView(disclosing, shiftedFrame(subject, zones, deidentifier));
  const isTooEarly = /^[eb]df/.test(format) && startUs + view.shiftUs < EDF_START_US;
  return isTooEarly ? { ...view, shiftUs: view.shiftUs + EDF_FURTHER_US } : view;
}
