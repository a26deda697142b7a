/** The beats of a recording as a study export asks for them: with what people corrected, and what is said of their method. */
import { join } from 'node:path';
import { beatEdits } from '../../analytics/index.ts';
import type { RecordingRecord } from '../../db/index.ts';
import { completeParameters } from '../../vocabulary/analysis-parameters.ts';
import type { ExportView } from '../study-export/export-view.ts';
import type { BeatsOfPart } from '../study-export/part-task.ts';
import type { StudyExportContext } from '../study-export/types.ts';
import { beatsMethod } from './method.ts';
import { BEAT_TYPES, type BeatOrigin } from './origins.ts';

/** The kind of the channel whose beats are exported; undefined for a recording without one. */
export const beatOriginOf = ({ channels, sampleCounts }: RecordingRecord): BeatOrigin | undefined =>
  BEAT_TYPES.find((origin) => channels.some(({ type }, channel) => type === origin && sampleCounts[channel]! > 0));

/** WFDB names have letters, digits and underscores alone. */
export const wfdbName = (name: string): string => name.replaceAll('-', '_');

export async function requestedBeats(
  { store, signalsDir }: StudyExportContext,
  view: ExportView,
  row: RecordingRecord,
): Promise<BeatsOfPart> {
  const { isDeidentified, study } = view;
  const shownId = view.id('recording', row.id);
  const corrections = beatEdits(await store.corrections.ofBeats(row), row.id);
  const parameters = completeParameters(study.analysisParameters);
  const path = join(signalsDir, `${row.id}.sig`);
  const method = await beatsMethod(path, row, corrections, parameters, { shownId, isDeidentified });
  return { name: wfdbName(shownId), corrections, method };
}
