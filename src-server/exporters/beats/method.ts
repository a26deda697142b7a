/**
 * With what the beats of a recording were found, beside the files that hold them: a JSON file, because a comment would stop readers of CSV
 * and of RR intervals, and comments in the header of WFDB, which its readers show and do not interpret.
 */
import { ANALYTICS_VERSION, type Correction } from '../../analytics/index.ts';
import { sha256Hex } from '../../files/content-hash.ts';
import { readClockMap } from '../../signals/index.ts';
import { type AnalysisParameters, canonicalParameters } from '../../vocabulary/analysis-parameters.ts';
import type { BeatOrigin } from './origins.ts';

export interface BeatsMethod {
  /** Id, or code; absent where the file must not say it. */
  recordingId?: string;
  algorithm: { name: 'Outpost analytics'; version: string };
  /** Of the study, completed. Detection depends on none of them; what is computed from the beats does. */
  parameters: AnalysisParameters;
  /** By people, in force: how many changed the beats. */
  corrections: number;
  /** Absent in de-identified files, which hold no hashes. */
  inputs?: {
    /** Of the stored recording; null for one from before hashes were kept. */
    recordingSha256: string | null;
    /** Of everything that decides the beats beside the algorithm: recording, its clock, corrections. */
    sha256: string;
  };
}

/** @param shownId id or code of the recording; undefined where the file must not say it */
export async function beatsMethod(
  signalPath: string,
  recording: { sha256?: string | null | undefined },
  corrections: readonly Correction[],
  parameters: AnalysisParameters,
  { shownId, isDeidentified }: { shownId: string | undefined; isDeidentified: boolean },
): Promise<BeatsMethod> {
  const recordingSha256 = recording.sha256 ?? null;
  const decides = [recordingSha256, await readClockMap(signalPath), corrections];
  return {
    ...(shownId !== undefined && { recordingId: shownId }),
    algorithm: { name: 'Outpost analytics', version: ANALYTICS_VERSION },
    parameters,
    corrections: corrections.length,
    ...(!isDeidentified && { inputs: { recordingSha256, sha256: sha256Hex(JSON.stringify(decides)) } }),
  };
}

/** What a sidecar says: where the beats come from, and with what they were found. */
export const methodRecord = ({ recordingId, ...method }: BeatsMethod, beatsFrom: BeatOrigin) => ({
  ...(recordingId !== undefined && { recordingId }),
  beatsFrom,
  ...method,
});

export const methodJson = (method: BeatsMethod, beatsFrom: BeatOrigin): string =>
  `${JSON.stringify(methodRecord(method, beatsFrom), null, 2)}\n`;

/** Lines for the header of a WFDB record; each is short, because readers cut long ones. */
export function methodComments({ algorithm, parameters, inputs, corrections }: BeatsMethod): string[] {
  const { cutPoints, nonWear, rhythm } = parameters;
  const chosen = Object.entries({ ...cutPoints, nonWear, ...rhythm }).map(([name, value]) => `${name}: ${value}`);
  return [
    `algorithm: ${algorithm.name} ${algorithm.version}`,
    ...(canonicalParameters(parameters) === '' ? ['parameters: defaults of this version'] : chosen),
    `corrections: ${corrections}`,
    ...(inputs ? [`recording_sha256: ${inputs.recordingSha256 ?? 'unknown'}`, `inputs_sha256: ${inputs.sha256}`] : []),
  ];
}
