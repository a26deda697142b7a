/** Adds the row of a recording whose signal file is already on disk, as an import would. */
import { type RecordingRecord, SYSTEM } from '../db/index.ts';
import type { Store } from '../services/index.ts';
import type { SignalFileSummary } from '../signals/index.ts';
import type { SignalHeader } from '../signals/types.ts';

export interface RecordingPlace {
  studyId: string;
  subjectId: string;
}

type NewRecording = Parameters<Store['recordings']['add']>[0];

/** @param overrides members of the row that differ from what the header says */
export async function addRecordingRow(
  store: Store,
  { studyId, subjectId }: RecordingPlace,
  header: SignalHeader,
  summary: SignalFileSummary,
  overrides: Partial<NewRecording> = {},
): Promise<RecordingRecord> {
  const deviceConfig = await store.studies.matchDeviceConfig(studyId, header, SYSTEM);
  const { recording } = await store.recordings.add(
    {
      id: header.recordingId,
      studyId,
      subjectId,
      deviceConfigId: deviceConfig.id,
      recordingId: header.deviceRecordingId,
      startUs: summary.startUs,
      stopUs: summary.stopUs,
      udid: header.udid,
      hardwareId: header.hardwareId,
      firmwareId: header.firmwareId,
      physicalConfig: header.physicalConfig,
      sensorConfig: header.sensorConfig,
      sizeBytes: summary.sizeBytes,
      sha256: summary.sha256,
      channels: header.channels,
      sampleCounts: summary.sampleCounts,
      syncPoints: [],
      contentSha256: header.source.sha256,
      sourceFormat: header.source.format,
      sourceFileName: header.source.fileName,
      ...overrides,
    },
    SYSTEM,
  );
  return recording;
}
