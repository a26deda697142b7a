/** The handlers of all routes. It does not compile when a route of the contract has none. */
import type { ApiDeps } from '../deps.ts';
import type { AllHandlers } from '../framework/mount.ts';
import { accessLogHandlers } from './access/access-log.ts';
import { memberHandlers } from './access/members.ts';
import { sessionHandlers } from './access/sessions.ts';
import { userHandlers } from './access/users.ts';
import { adherenceHandlers } from './adherence.ts';
import { analysisRunHandlers } from './analysis-runs/analysis-runs.ts';
import { analyticsHandlers } from './analytics.ts';
import { annotationHandlers } from './annotations/annotations.ts';
import { attentionHandlers } from './attention/attention.ts';
import { auditHandlers } from './audit.ts';
import { archiveHandlers } from './background/archives.ts';
import { backupHandlers } from './background/backups.ts';
import { exportHandlers } from './background/exports.ts';
import { jobHandlers } from './background/jobs.ts';
import { recognitionHandlers } from './background/recognition.ts';
import { subjectExportHandlers } from './background/subject-exports.ts';
import { correctionHandlers } from './corrections.ts';
import { coverageHandlers } from './coverage/coverage.ts';
import { dataQueryHandlers } from './data-queries.ts';
import { certificateHandlers } from './devices/certificates.ts';
import { deviceCallHandlers } from './devices/device-calls.ts';
import { dockHandlers } from './devices/docks.ts';
import { fleetHandlers } from './devices/fleet.ts';
import { pairingHandlers } from './devices/pairings.ts';
import { phoneHandlers } from './devices/phone.ts';
import { refusalHandlers } from './devices/refusals.ts';
import { uploadHandlers } from './devices/uploads.ts';
import { equipmentHandlers } from './equipment.ts';
import { erasureHandlers } from './erasures.ts';
import { eventHandlers } from './events.ts';
import { mailHandlers } from './integrations/mail.ts';
import { webhookHandlers } from './integrations/webhooks.ts';
import { messageBatchHandlers } from './messages/message-batches.ts';
import { messageHandlers } from './messages/messages.ts';
import { noteHandlers } from './notes.ts';
import { participationHandlers } from './participation.ts';
import { qualityHandlers } from './quality.ts';
import { questionnaireHandlers } from './questionnaires.ts';
import { recordingViewHandlers } from './recording-views.ts';
import { recordingHandlers } from './recordings.ts';
import { rowTableHandlers } from './row-tables.ts';
import { savedFilterHandlers } from './saved-filters.ts';
import { searchHandlers } from './search.ts';
import { signatureHandlers } from './signatures.ts';
import { siteHandlers } from './site.ts';
import { siteSettingsHandlers } from './site-settings.ts';
import { studyHandlers } from './studies.ts';
import { subjectHandlers } from './subjects.ts';

export function createHandlers(deps: ApiDeps): AllHandlers {
  return {
    ...siteHandlers(deps),
    ...siteSettingsHandlers(deps),
    ...userHandlers(deps),
    ...sessionHandlers(deps),
    ...accessLogHandlers(deps),
    ...memberHandlers(deps),
    ...savedFilterHandlers(deps),
    ...studyHandlers(deps),
    ...questionnaireHandlers(),
    ...subjectHandlers(deps),
    ...rowTableHandlers(deps),
    ...erasureHandlers(deps),
    ...subjectExportHandlers(deps),
    ...equipmentHandlers(deps),
    ...fleetHandlers(deps),
    ...adherenceHandlers(deps),
    ...recordingHandlers(deps),
    ...recordingViewHandlers(deps),
    ...coverageHandlers(deps),
    ...attentionHandlers(deps),
    ...annotationHandlers(deps),
    ...correctionHandlers(deps),
    ...messageHandlers(deps),
    ...messageBatchHandlers(deps),
    ...noteHandlers(deps),
    ...searchHandlers(deps),
    ...dataQueryHandlers(deps),
    ...qualityHandlers(deps),
    ...participationHandlers(deps),
    ...eventHandlers(deps),
    ...analyticsHandlers(deps),
    ...analysisRunHandlers(deps),
    ...jobHandlers(deps),
    ...recognitionHandlers(deps),
    ...auditHandlers(deps),
    ...signatureHandlers(deps),
    ...backupHandlers(deps),
    ...archiveHandlers(deps),
    ...webhookHandlers(deps),
    ...mailHandlers(deps),
    ...deviceCallHandlers(deps),
    ...uploadHandlers(deps),
    ...dockHandlers(deps),
    ...pairingHandlers(deps),
    ...certificateHandlers(deps),
    ...refusalHandlers(deps),
    ...phoneHandlers(deps),
    ...exportHandlers(deps),
  };
}
