/**
 * The contract of `/api/v1`: every endpoint and every resource as zod schemas. The server validates with it; the OpenAPI
 * document and the typed client are generated from it. Pure, so that a browser can load its types and `client-core.ts`.
 */
import { accessLogRoutes } from './resources/access-log.ts';
import { adherenceRoutes } from './resources/adherence.ts';
import { analysisRunRoutes } from './resources/analysis-runs.ts';
import { analyticsRoutes } from './resources/analytics.ts';
import { annotationRoutes } from './resources/annotations.ts';
import { archiveRoutes } from './resources/archives.ts';
import { attentionRoutes } from './resources/attention.ts';
import { auditRoutes } from './resources/audit.ts';
import { backupRoutes } from './resources/backups.ts';
import { certificateRoutes } from './resources/certificates.ts';
import { correctionRoutes } from './resources/corrections.ts';
import { coverageRoutes } from './resources/coverage.ts';
import { dataQueryRoutes } from './resources/data-queries.ts';
import { deviceCallRoutes } from './resources/device-calls.ts';
import { dockRoutes } from './resources/docks.ts';
import { equipmentRoutes } from './resources/equipment.ts';
import { erasureRoutes } from './resources/erasures.ts';
import { eventRoutes } from './resources/events.ts';
import { exportRoutes } from './resources/exports.ts';
import { fleetRoutes } from './resources/fleet.ts';
import { jobRoutes } from './resources/jobs.ts';
import { mailRoutes } from './resources/mail.ts';
import { memberRoutes } from './resources/members.ts';
import { messageBatchRoutes } from './resources/message-batches.ts';
import { messageRoutes } from './resources/messages.ts';
import { noteRoutes } from './resources/notes.ts';
import { pairingRoutes } from './resources/pairings.ts';
import { participationRoutes } from './resources/participation.ts';
import { phoneRoutes } from './resources/phone.ts';
import { qualityRoutes } from './resources/quality.ts';
import { questionnaireRoutes } from './resources/questionnaires.ts';
import { recognitionRoutes } from './resources/recognition.ts';
import { recordingViewRoutes } from './resources/recording-views.ts';
import { recordingRoutes } from './resources/recordings.ts';
import { refusalRoutes } from './resources/refusals.ts';
import { rowTableRoutes } from './resources/row-tables.ts';
import { savedFilterRoutes } from './resources/saved-filters.ts';
import { searchRoutes } from './resources/search.ts';
import { sessionRoutes } from './resources/sessions.ts';
import { signatureRoutes } from './resources/signatures.ts';
import { siteRoutes } from './resources/site.ts';
import { siteSettingsRoutes } from './resources/site-settings.ts';
import { studyRoutes } from './resources/studies.ts';
import { subjectExportRoutes } from './resources/subject-exports.ts';
import { subjectRoutes } from './resources/subjects.ts';
import { uploadRoutes } from './resources/uploads.ts';
import { userRoutes } from './resources/users.ts';
import { webhookRoutes } from './resources/webhooks.ts';

export const routes = {
  ...siteRoutes,
  ...siteSettingsRoutes,
  ...userRoutes,
  ...sessionRoutes,
  ...memberRoutes,
  ...savedFilterRoutes,
  ...studyRoutes,
  ...questionnaireRoutes,
  ...subjectRoutes,
  ...rowTableRoutes,
  ...erasureRoutes,
  ...subjectExportRoutes,
  ...equipmentRoutes,
  ...fleetRoutes,
  ...adherenceRoutes,
  ...recordingRoutes,
  ...recognitionRoutes,
  ...recordingViewRoutes,
  ...coverageRoutes,
  ...attentionRoutes,
  ...annotationRoutes,
  ...correctionRoutes,
  ...messageRoutes,
  ...messageBatchRoutes,
  ...noteRoutes,
  ...dataQueryRoutes,
  ...qualityRoutes,
  ...participationRoutes,
  ...eventRoutes,
  ...searchRoutes,
  ...analyticsRoutes,
  ...analysisRunRoutes,
  ...jobRoutes,
  ...auditRoutes,
  ...accessLogRoutes,
  ...signatureRoutes,
  ...backupRoutes,
  ...archiveRoutes,
  ...webhookRoutes,
  ...mailRoutes,
  ...deviceCallRoutes,
  ...uploadRoutes,
  ...dockRoutes,
  ...pairingRoutes,
  ...certificateRoutes,
  ...refusalRoutes,
  ...phoneRoutes,
  ...exportRoutes,
};
export type Routes = typeof routes;
export type RouteId = keyof Routes;

export type { FaultClass } from '../../vocabulary/devices.ts';
export { MASTER_ID, PIPELINE_ID } from './channels.ts';
export type { Created, Diagnostic, ErrorBody } from './common.ts';
export type { AccessEntry } from './resources/access-log.ts';
export type {
  DailyProgramStats,
  ProgramAuditDay,
  ProgramStats,
  SubjectAdherence,
  TaskReport,
} from './resources/adherence.ts';
export type {
  Analysis,
  AnalysisRun,
  AnalysisRunDetail,
  ComparisonPoints,
  MetricAgreement,
  RunComparison,
} from './resources/analysis-runs.ts';
export type { DailyMetricsItem, IntradayChannel } from './resources/analytics.ts';
export { METRICS_PIPELINE } from './resources/analytics.ts';
export type { Annotation, Answer } from './resources/annotations.ts';
export type { AttentionItem } from './resources/attention.ts';
export type { AuditEntry, AuditExport } from './resources/audit.ts';
export type { Backup, BackupStatus, LostFile, Scrub } from './resources/backups.ts';
export type { Certificates } from './resources/certificates.ts';
export type { Correction, NewCorrectionInput } from './resources/corrections.ts';
export type { Cause, CoverageDay, SignalGap, WhyNoData } from './resources/coverage.ts';
export type { DataQuery } from './resources/data-queries.ts';
export type { Docks, Transfer } from './resources/docks.ts';
export type { Equipment, EquipmentHistoryItem, FaultStats, HeldDevice } from './resources/equipment.ts';
export type { Erasure, ErasurePreview } from './resources/erasures.ts';
export type { Change, StudyEvent } from './resources/events.ts';
export type { StudyExport } from './resources/exports.ts';
export type { FleetDetail, FleetItem } from './resources/fleet.ts';
export type { Job } from './resources/jobs.ts';
export type { Mail } from './resources/mail.ts';
export type { StudyMember, StudyPerson, StudyRole } from './resources/members.ts';
export type { MessageBatchItem, MessageTemplate } from './resources/message-batches.ts';
export type { Conversation, Message } from './resources/messages.ts';
export type { Note, NoteDetail } from './resources/notes.ts';
export type { Device, Network, NetworkCheck, Pairing, PhoneAddress, StartedPairing } from './resources/pairings.ts';
export type {
  ParticipationAnswer,
  ParticipationStep,
  StudyPlanAnswer,
  Visit,
} from './resources/participation.ts';
export type { Board, StudyFault, SubjectQualityItem, SubjectValues } from './resources/quality.ts';
export type { Questionnaire } from './resources/questionnaires.ts';
export type { Beat, OverviewChannel, RecordingBeats, RecordingOverview } from './resources/recording-views.ts';
export type { RawDataChannel, RawDataPage, RawDataWarning, Recording } from './resources/recordings.ts';
export type { Refusal } from './resources/refusals.ts';
export type { RowTable } from './resources/row-tables.ts';
export type { SavedFilter } from './resources/saved-filters.ts';
export type { SearchHit, SearchResults } from './resources/search.ts';
export type { SecondFactor, SecondFactorSetup, UserSession } from './resources/sessions.ts';
export type { Signature } from './resources/signatures.ts';
export type { MetricDefinition, Site } from './resources/site.ts';
export type { SiteSettings } from './resources/site-settings.ts';
export type { ListedStudy, Study, StudyDetail } from './resources/studies.ts';
export type { SubjectExport } from './resources/subject-exports.ts';
export type { ListedSubject, Subject, SubjectDetail, SubjectSummary } from './resources/subjects.ts';
export type { Upload, UploadProgress } from './resources/uploads.ts';
export type { Role, Session, User } from './resources/users.ts';
export type { Webhook, WebhookDelivery } from './resources/webhooks.ts';
