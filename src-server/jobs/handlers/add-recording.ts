/** Adds the row of a recording whose file is in place, for imports and uploads alike. */
import type { Change, RecordingRecord } from '../../db/index.ts';
import type { Repositories } from '../../services/index.ts';
import type { WrittenRecording } from '../workers/tasks.ts';

interface Place {
  studyId: string;
  subjectId: string;
  /** Default: the study's configuration that matches the recording, created if there is none. */
  deviceConfigId?: string;
  /** Serial number of the sensor, if the delivering device named it. */
  sensorSerial?: string;
}

/** Adds the row, and a device configuration if none matches. The caller provides the transaction. */
export async function addRecording(
  repositories: Repositories,
  place: Place,
  written: Omit<WrittenRecording, 'path' | 'labels'> & { uploadStartTs?: number },
  change: Change,
): Promise<{ recording: RecordingRecord; isNew: boolean }> {
  const { header } = written;
  const deviceConfigId =
    place.deviceConfigId ??
    (
      await repositories.studies.matchDeviceConfig(
        place.studyId,
        { physicalConfig: header.physicalConfig, sensorConfig: header.sensorConfig },
        change,
      )
    ).id;
  return await repositories.recordings.add(
    {
      id: header.recordingId,
      studyId: place.studyId,
      subjectId: place.subjectId,
      deviceConfigId,
      recordingId: header.deviceRecordingId,
      startUs: written.startUs,
      stopUs: written.stopUs,
      udid: header.udid,
      hardwareId: header.hardwareId,
      firmwareId: header.firmwareId,
      physicalConfig: header.physicalConfig,
      sensorConfig: header.sensorConfig,
      sizeBytes: written.sizeBytes,
      sha256: written.sha256,
      channels: header.channels,
      sampleCounts: written.sampleCounts,
      syncPoints: header.syncPoints,
      contentSha256: written.contentSha256,
      sourceFormat: header.source.format,
      sourceFileName: header.source.fileName,
      notes: written.notes,
      ...(place.sensorSerial !== undefined && { sensorSerial: place.sensorSerial }),
      ...(written.uploadStartTs !== undefined && { uploadStartTs: written.uploadStartTs }),
    },
    change,
  );
}
