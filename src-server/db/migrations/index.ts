import { studyCore } from './0010-study-core.ts';
import { jobsAnalytics } from './0020-jobs-analytics.ts';
import { outreach } from './0030-outreach.ts';
import { devices } from './0040-devices.ts';
import { deviceUploads } from './0050-device-uploads.ts';
import { studyExports } from './0060-study-exports.ts';
import { attention } from './0080-attention.ts';
import { findings } from './0090-findings.ts';
import { readIndexes } from './0100-read-indexes.ts';
import { disclosedWords } from './0110-disclosed-words.ts';
import { clockReadings } from './0120-clock-readings.ts';
import { recordingEquipment } from './0160-recording-equipment.ts';
import { deviceContact } from './0170-device-contact.ts';
import { diagnostic } from './0180-diagnostic.ts';
import { summaries } from './0190-summaries.ts';
import { columnFiles } from './0200-column-files.ts';
import { faultIndexes } from './0220-fault-indexes.ts';
import { conversations } from './0230-conversations.ts';
import { compactRows } from './0240-compact-rows.ts';
import { taskMonths } from './0270-task-months.ts';
import { longAnnotations } from './0280-long-annotations.ts';
import { sensorSetups } from './0310-sensor-setups.ts';
import { signatures } from './0320-signatures.ts';
import { erasures } from './0360-erasures.ts';
import { signatureLists } from './0370-signature-lists.ts';
import { phoneFacts } from './0390-phone-facts.ts';
import { uploadsOfUsers } from './0420-uploads-of-users.ts';
import { webHosts } from './0440-web-hosts.ts';
import { csvTemplates } from './0480-csv-templates.ts';
import { transfers } from './0490-transfers.ts';
import { corrections } from './0500-corrections.ts';
import { analysisRuns } from './0510-analysis-runs.ts';
import { analysisParameters } from './0520-analysis-parameters.ts';
import { analysisRunChanges } from './0530-analysis-run-changes.ts';
import { transferFiles } from './0540-transfer-files.ts';
import { notes } from './0600-notes.ts';
import { dataQueries } from './0610-data-queries.ts';
import { questionOptions } from './0620-question-options.ts';
import { participation } from './0650-participation.ts';
import { qualityAndBoard } from './0660-quality-and-board.ts';
import { searchAndDigest } from './0670-search-and-digest.ts';
import { messageTemplates } from './0680-message-templates.ts';
import { savedFilters } from './0690-saved-filters.ts';
import { accessControl } from './0710-access.ts';
import { imageHashes } from './0750-image-hashes.ts';
import type { Migration } from './types.ts';

/** All steps of the schema, in order. */
export const MIGRATIONS: readonly Migration[] = [
  studyCore,
  jobsAnalytics,
  outreach,
  devices,
  deviceUploads,
  studyExports,
  attention,
  findings,
  readIndexes,
  disclosedWords,
  clockReadings,
  recordingEquipment,
  deviceContact,
  diagnostic,
  summaries,
  columnFiles,
  faultIndexes,
  conversations,
  compactRows,
  taskMonths,
  longAnnotations,
  sensorSetups,
  signatures,
  erasures,
  signatureLists,
  phoneFacts,
  uploadsOfUsers,
  webHosts,
  csvTemplates,
  transfers,
  corrections,
  analysisRuns,
  analysisParameters,
  analysisRunChanges,
  transferFiles,
  notes,
  dataQueries,
  questionOptions,
  participation,
  qualityAndBoard,
  searchAndDigest,
  messageTemplates,
  savedFilters,
  accessControl,
  imageHashes,
];
export type { Migration } from './types.ts';
