/**
 * The definition of every table, see `columns.ts`; the SQL that makes the tables is in `migrations/`. A test compares the two, so
 * they cannot drift apart.
 */
import type { EpochMethod } from '../analytics/types.ts';
import type { SerializedError } from '../errors.ts';
import type { ActorType, AuthorType } from '../study/actor.ts';
import type { AnnotationType } from '../study/annotations.ts';
import type { FieldChanges } from '../study/changes.ts';
import type { Definition, MetadataField, QuestionOptions } from '../study/definition.ts';
import type { CallingDevice, DeviceKind, EquipmentType } from '../study/equipment.ts';
import type { EventAction } from '../study/events.ts';
import type { DisclosedWords, RemovalReason, StoredFormatName } from '../study/export-formats.ts';
import type { ImportHints, JobKind, JobPayloads, JobProgress, JobState } from '../study/jobs.ts';
import type { LifecycleState } from '../study/lifecycle.ts';
import type { Role } from '../study/permissions.ts';
import type { PhoneClock } from '../study/phone-clock.ts';
import type { Program, TaskType } from '../study/program.ts';
import type { DataState, FileState, PhysicalConfig, SignalChannel, SyncPoint } from '../study/recording.ts';
import type { SignatureMeaning, SignedKind } from '../study/signatures.ts';
import type { MetadataValue } from '../study/subject-fields.ts';
import type { SkippedQuestion } from '../study/task-reports.ts';
import type { UploadFacts, UploadState } from '../study/uploads.ts';
import type { AccessDetail, AccessKind } from '../vocabulary/access-log.ts';
import type { AnalysisParameters, GivenAnalysisParameters } from '../vocabulary/analysis-parameters.ts';
import type { StudyBoard } from '../vocabulary/board.ts';
import type { BeatCode, CorrectionKind } from '../vocabulary/corrections.ts';
import type { CsvTemplate } from '../vocabulary/csv-mapping.ts';
import type { StoredTransferState, TransferFile, TransferSource } from '../vocabulary/docks.ts';
import type { MessageLanguage } from '../vocabulary/message-placeholders.ts';
import type { NoteKind } from '../vocabulary/notes.ts';
import type {
  ConsentState,
  DataDecision,
  ParticipationStepKind,
  StudyPlan,
  SubjectStatus,
  VisitState,
} from '../vocabulary/participation.ts';
import type { ProblemKind, TaskGuide } from '../vocabulary/problems.ts';
import type { QualityTargets } from '../vocabulary/quality.ts';
import type { QueryState, QueryStep, QueryTarget } from '../vocabulary/queries.ts';
import type { FilterSearch, FilterTable } from '../vocabulary/saved-filters.ts';
import { blob, flag, integer, json, type KyselyRow, real, table, text } from './columns.ts';
import type { MetricNames } from './day-cells.ts';
import { parseSyncPoints, syncPointText } from './sync-point-text.ts';

/** A sleep period of a stored window, epoch ms. */
export interface SleepPeriod {
  onsetMs: number;
  wakeMs: number;
}

const SYNC_POINTS = { toText: syncPointText, toValue: parseSyncPoints };

const WINDOW = {
  subjectId: text(),
  date: text(),
  startTs: integer(),
  stopTs: integer(),
  timezone: text(),
  /** Only in rows of older versions; empty once they are in a file of `columns/`. */
  columns: blob(),
  sleep: json<SleepPeriod[]>(),
  inputsHash: text(),
  algorithmVersion: text(),
  computedTs: integer(),
  columnsSha256: text().optional(),
  columnsBytes: integer().optional(),
  /** Chosen parameters of the analysis; absent: the defaults. */
  parameters: json<GivenAnalysisParameters>().optional(),
};

const DAY = {
  subjectId: text(),
  date: text(),
  dayStartTs: integer(),
  dayStopTs: integer(),
  timezone: text(),
  dataStartTs: integer(),
  dataStopTs: integer(),
  namesId: integer(),
  metrics: json<number[]>(),
  validSeconds: json<number[]>(),
  wearSeconds: real().optional(),
  inputsHash: text(),
  algorithmVersion: text(),
  computedTs: integer(),
  parameters: json<GivenAnalysisParameters>().optional(),
  epochMethod: json<EpochMethod>().optional(),
};

const UNCORRECTED_DAY = {
  subjectId: text(),
  date: text(),
  dayStartTs: integer(),
  dayStopTs: integer(),
  timezone: text(),
  dataStartTs: integer(),
  dataStopTs: integer(),
  metrics: json<Record<string, number>>(),
  validSeconds: json<Record<string, number>>(),
  inputsHash: text(),
  algorithmVersion: text(),
  computedTs: integer(),
};

/** What an edit of a note may change, and who wrote it so. */
const NOTE_CONTENT = {
  kind: text<NoteKind>(),
  /** Of a call. */
  isReached: flag().optional(),
  body: text(),
  followUpDate: text().optional(),
  assigneeId: text().optional(),
  version: integer(),
  editorId: text(),
  editedTs: integer(),
};

export const TABLES = {
  account: table({
    id: text(),
    displayName: text(),
    createdTs: integer(),
  }),
  user: table({
    id: text(),
    accountId: text(),
    email: text(),
    emailKey: text(),
    firstName: text(),
    lastName: text(),
    locale: text(),
    timezone: text(),
    role: text<Role>(),
    passwordHash: text().optional(),
    legaleseVersionAccepted: integer().defaulted(),
    legaleseVersionRequired: integer().defaulted(),
    createdTs: integer(),
    modifiedTs: integer(),
    disabledTs: integer().optional(),
    /** Counts how often everything that the user was given (sessions, signed addresses) was withdrawn. */
    accessRound: integer().defaulted(),
    needsSecondFactor: flag().defaulted(),
  }),
  token: table({
    id: text(),
    userId: text(),
    tokenHash: text(),
    createdTs: integer(),
    expirationTs: integer(),
    /** From where the user signed in. */
    address: text().optional(),
    /** What the program that signed in calls itself (User-Agent). */
    client: text().optional(),
  }),
  tokenUse: table({
    tokenId: text(),
    usedTs: integer(),
    address: text(),
  }),
  secondFactor: table({
    userId: text(),
    /** Sealed. */
    secret: text(),
    createdTs: integer(),
    /** Absent until a first code was right: it is not asked for before. */
    confirmedTs: integer().optional(),
    /** The last time steps whose codes were accepted. */
    usedSteps: json<number[]>().defaulted(),
  }),
  recoveryCode: table({
    id: text(),
    userId: text(),
    codeHash: text(),
    createdTs: integer(),
    usedTs: integer().optional(),
  }),
  accessEntry: table({
    sequence: integer().defaulted(),
    accountId: text(),
    /** First and last time, and how often in between. */
    timeTs: integer(),
    lastTs: integer(),
    count: integer(),
    kind: text<AccessKind>(),
    detail: text<AccessDetail>(),
    userId: text().optional(),
    /** Who did it, when that was somebody else. */
    byUserId: text().optional(),
    /** Keyed hash of a name that no user has: it may be a password that was typed into the wrong field. */
    nameHash: text().optional(),
    studyId: text().optional(),
    subjectId: text().optional(),
    address: text().optional(),
  }),
  passwordCode: table({
    id: text(),
    userId: text(),
    codeHash: text(),
    createdTs: integer(),
    expirationTs: integer(),
    usedTs: integer().optional(),
  }),
  study: table({
    id: text(),
    accountId: text(),
    displayName: text(),
    title: text(),
    lifecycleState: text<LifecycleState>(),
    isArchived: flag().defaulted(),
    metadataFields: json<MetadataField[]>().defaulted(),
    program: json<Program>().optional(),
    csvTemplates: json<CsvTemplate[]>().defaulted(),
    /** Absent: the defaults. */
    analysisParameters: json<AnalysisParameters>().optional(),
    /** Absent: the defaults. */
    qualityTargets: json<QualityTargets>().optional(),
    definitionVersion: integer().defaulted(),
    exportFile: text().optional(),
    exportRequestedTs: integer().optional(),
    exportSizeBytes: integer().optional(),
    createdTs: integer(),
    modifiedTs: integer(),
    startedTs: integer().optional(),
    stoppedTs: integer().optional(),
    /** While it is locked. */
    lockedTs: integer().optional(),
    /** The only version of the algorithms that its data is analysed with; absent: that of the program. */
    pinnedVersion: text().optional(),
  }),
  /** What the people of a study look at together. One row for each study that has any. */
  studyBoard: table({
    studyId: text(),
    content: json<StudyBoard>(),
    savedBy: text(),
    savedTs: integer(),
  }),
  definitionVersion: table({
    studyId: text(),
    version: integer(),
    createdTs: integer(),
    definition: json<Definition>(),
  }),
  membership: table({
    studyId: text(),
    userId: text(),
    role: text<Role>(),
    createdTs: integer(),
  }),
  task: table({
    id: text(),
    studyId: text(),
    type: text<TaskType>(),
    displayName: text(),
    mode: text(),
    position: integer(),
    pipelineIds: json<string[]>(),
    durationSec: integer().optional(),
    instructions: text().optional(),
    createdTs: integer(),
    modifiedTs: integer(),
    guide: text<TaskGuide>().optional(),
  }),
  question: table({
    id: text(),
    taskId: text(),
    position: integer(),
    text: text(),
    type: text(),
    choices: json<string[]>(),
    createdTs: integer(),
    /** Absent: it has none. */
    options: json<QuestionOptions>().optional(),
  }),
  deviceConfig: table({
    id: text(),
    studyId: text(),
    mode: text(),
    position: integer(),
    pipelineIds: json<string[]>(),
    sourceId: text().optional(),
    physicalConfig: json<PhysicalConfig>(),
    sensorConfig: json<Record<string, unknown>>(),
    createdTs: integer(),
    modifiedTs: integer(),
  }),
  subject: table({
    id: text(),
    studyId: text(),
    displayName: text(),
    nameKey: text(),
    age: integer().optional(),
    gender: text<'MALE' | 'FEMALE'>().optional(),
    /** Meters. */
    height: real().optional(),
    /** Kilograms. */
    weight: real().optional(),
    dominantHand: text<'LEFT' | 'RIGHT'>().optional(),
    timezone: text(),
    metadataFields: json<MetadataValue[]>(),
    isHidden: flag().defaulted(),
    isTest: flag().defaulted(),
    legaleseVersionAccepted: integer().defaulted(),
    legaleseVersionRequired: integer().defaulted(),
    createdTs: integer(),
    modifiedTs: integer(),
    programStartTs: integer().optional(),
    /** When the subject withdrew or completed: nothing is due from then on. */
    programStopTs: integer().optional(),
  }),
  subjectZone: table({
    subjectId: text(),
    fromTs: integer(),
    timezone: text(),
  }),
  subjectToken: table({
    id: text(),
    subjectId: text(),
    tokenHash: text(),
    createdTs: integer(),
    usedTs: integer().optional(),
    revokedTs: integer().optional(),
  }),
  equipment: table({
    id: text(),
    accountId: text(),
    type: text<EquipmentType>(),
    displayName: text(),
    udid: text().optional(),
    hardwareId: text().optional(),
    firmwareId: text().optional(),
    lastContactTs: integer().optional(),
    batteryPercent: real().optional(),
    createdTs: integer(),
    modifiedTs: integer(),
  }),
  equipmentAssignment: table({
    id: text(),
    equipmentId: text(),
    studyId: text(),
    subjectId: text(),
    assignedTs: integer(),
    unassignedTs: integer().optional(),
  }),
  deviceContact: table({
    equipmentId: text(),
    contactTs: integer(),
    batteryPercent: real().optional(),
    firmwareId: text().optional(),
  }),
  recording: table({
    id: text(),
    studyId: text(),
    subjectId: text(),
    deviceConfigId: text(),
    recordingId: integer(),
    startUs: integer(),
    stopUs: integer(),
    uploadStartTs: integer(),
    createdTs: integer(),
    udid: text(),
    hardwareId: text(),
    firmwareId: text(),
    status: text<'COMPLETE' | 'REJECTED'>(),
    dataState: text<DataState>(),
    rejectCode: text().optional(),
    fileState: text<FileState>().defaulted(),
    sizeBytes: integer(),
    sha256: text(),
    sampleCounts: json<number[]>(),
    syncPoints: json<SyncPoint[]>(SYNC_POINTS),
    contentSha256: text(),
    sourceFormat: text(),
    sourceFileName: text(),
    notes: json<string[]>().defaulted(),
    exportSizeBytes: integer().optional(),
    /** Serial of the registered sensor it came from, where that is known. */
    equipmentId: text().optional(),
    setupId: integer().optional(),
  }),
  /** How a sensor was worn and what it measured, shared by recordings. */
  sensorSetup: table({
    setupId: integer().defaulted(),
    physicalConfig: json<PhysicalConfig>(),
    sensorConfig: json<Record<string, unknown>>(),
    channels: json<SignalChannel[]>(),
  }),
  deviceUpload: table({
    id: text(),
    accountId: text(),
    /** Of the device that sends it; else `userId` says who does. */
    credentialId: text().optional(),
    userId: text().optional(),
    deviceId: text(),
    recordingId: text(),
    sensorId: text(),
    state: text<UploadState>(),
    sizeBytes: integer(),
    receivedBytes: integer().defaulted(),
    sha256: text(),
    formatVersion: integer(),
    startUs: integer(),
    syncPoints: json<SyncPoint[]>(SYNC_POINTS),
    code: text().optional(),
    message: text().optional(),
    hashFailures: integer().defaulted(),
    facts: json<UploadFacts>().optional(),
    studyId: text().optional(),
    subjectId: text().optional(),
    decidedBy: text().optional(),
    decisionReason: text().optional(),
    storedRecordingId: text().optional(),
    createdTs: integer(),
    modifiedTs: integer(),
  }),
  transfer: table({
    id: text(),
    accountId: text(),
    source: text<TransferSource>(),
    /** Label of the drive, or path of the file below its folder. */
    displayName: text(),
    fileName: text(),
    model: text().optional(),
    /** As the file names the recorder. */
    serial: text().optional(),
    sessionId: integer().optional(),
    equipmentId: text().optional(),
    sizeBytes: integer(),
    /** On the disk of the site, flushed. */
    receivedBytes: integer().defaulted(),
    startTs: integer().optional(),
    stopTs: integer().optional(),
    state: text<StoredTransferState>(),
    code: text().optional(),
    message: text().optional(),
    studyId: text().optional(),
    subjectId: text().optional(),
    options: json<ImportHints>(),
    decidedBy: text().optional(),
    decisionReason: text().optional(),
    sha256: text().optional(),
    blocks: integer().optional(),
    badBlocks: integer().optional(),
    jobId: text().optional(),
    recordingIds: json<string[]>().optional(),
    confirmedBy: text().optional(),
    confirmedTs: integer().optional(),
    createdTs: integer(),
    modifiedTs: integer(),
    /** Of a recording that is several files; `id` is that of the content. */
    files: json<TransferFile[]>().optional(),
  }),
  heldRecording: table({
    deviceId: text(),
    recordingId: text(),
    sensorId: text(),
    place: text<'SENSOR' | 'HUB'>(),
    sizeBytes: integer(),
    startTs: integer(),
    stopTs: integer(),
    firstReportedTs: integer(),
    reportedTs: integer(),
  }),
  deviceManifest: table({
    deviceId: text(),
    reportedTs: integer(),
    recordings: integer(),
  }),
  /** What lists show of a subject's recordings; subjects without any have no row. Kept by `RecordingSummaries`. */
  subjectSummary: table({
    subjectId: text(),
    studyId: text(),
    countRecordings: integer(),
    /** Distinct local dates on which recordings began. */
    countDays: integer(),
    countSensors: integer(),
    /** Time that at least one recording covers. */
    coveredUs: integer(),
    /** Sum over all recordings of all sensors. */
    durationMs: integer(),
    sizeBytes: integer(),
    firstStartUs: integer(),
    lastStartUs: integer(),
    lastStopUs: integer(),
    /** Upload of the recording that began last. */
    lastUploadTs: integer(),
  }),
  /** The recordings that began on a local date of a subject. Kept by `RecordingSummaries`. */
  recordingDay: table({
    subjectId: text(),
    date: text(),
    studyId: text(),
    countRecordings: integer(),
    durationMs: integer(),
    firstStartTs: integer(),
    lastStartTs: integer(),
  }),
  /** The local dates of a month on which a subject began a task, as bits: the lowest is the first of the month. Kept by `TaskDays`. */
  taskMonth: table({
    subjectId: text(),
    month: text(),
    taskId: text(),
    days: integer(),
  }),
  recordingClock: table({
    recordingId: text(),
    sensorStartUs: integer(),
    sensorStopUs: integer(),
    startOffsetUs: integer(),
    driftPpm: real(),
    knots: json<SyncPoint[]>(SYNC_POINTS),
    leftOut: integer(),
  }),
  fault: table({
    id: text(),
    studyId: text(),
    subjectId: text(),
    equipmentId: text().optional(),
    recordingId: text().optional(),
    faultTs: integer(),
    faultFlag: text(),
    faultType: text(),
    faultClass: text().optional(),
    mobileAppVersion: text(),
    sensorFirmwareId: text(),
    sensorId: text(),
    createdTs: integer(),
  }),
  annotation: table({
    id: text(),
    studyId: text(),
    subjectId: text(),
    type: text<AnnotationType>(),
    displayName: text(),
    authorType: text<AuthorType>().optional(),
    authorId: text().optional(),
    startTs: integer(),
    stopTs: integer(),
    value: text().optional(),
    eventId: text().optional(),
    eventDisplayName: text().optional(),
    relationshipId: text().optional(),
    questionType: text().optional(),
    parentId: text().optional(),
    recordingId: text().optional(),
    position: integer().defaulted(),
    intendedTs: integer().optional(),
    openedTs: integer().optional(),
    completedTs: integer().optional(),
    reportedTs: integer(),
    createdTs: integer(),
    modifiedTs: integer(),
    /** How the times of a reported task were corrected. */
    phoneClock: json<PhoneClock>().optional(),
    /** Questions of a reported task that the subject chose to skip. */
    skipped: json<SkippedQuestion[]>().optional(),
    /** Of an answer: that of its question then. */
    unit: text().optional(),
  }),
  message: table({
    id: text(),
    studyId: text(),
    subjectId: text(),
    authorType: text<AuthorType>(),
    authorId: text(),
    body: text(),
    imageFile: text().optional(),
    imageMimeType: text().optional(),
    imageSizeBytes: integer().optional(),
    createdTs: integer(),
    readTs: integer().optional(),
    /** When the subject wrote it, in the site's time, if the phone reported that. */
    writtenTs: integer().optional(),
    phoneClock: json<PhoneClock>().optional(),
    problemKind: text<ProblemKind>().optional(),
    problemSensorId: text().optional(),
    /** The messages to many subjects that it is one of. */
    batchId: text().optional(),
    imageSha256: text().optional(),
  }),
  messageTemplate: table({
    id: text(),
    studyId: text(),
    displayName: text(),
    texts: json<Partial<Record<MessageLanguage, string>>>(),
    createdTs: integer(),
    modifiedTs: integer(),
  }),
  /** Filters of tables that people named: of one person, or shared with the members of a study. */
  savedFilter: table({
    id: text(),
    userId: text(),
    tableName: text<FilterTable>(),
    /** Of the table. */
    studyId: text().optional(),
    displayName: text(),
    search: json<FilterSearch>(),
    sharedStudyId: text().optional(),
    createdTs: integer(),
    modifiedTs: integer(),
  }),
  messageBatch: table({
    id: text(),
    studyId: text(),
    authorId: text(),
    /** Of its text, language and study. */
    contentHash: text(),
    createdTs: integer(),
  }),
  /** The messages of a subject in summary; subjects without any have no row. Kept by `MessageQueries`. */
  conversation: table({
    subjectId: text(),
    studyId: text(),
    messageCount: integer(),
    /** Written by the subject and not read by the staff. */
    unreadCount: integer(),
    /** Of the newest message. */
    lastTs: integer(),
    lastId: text(),
  }),
  /** Notes and calls of staff, about a subject or, without one, about the study. Never deleted, except by an erasure. */
  note: table({
    id: text(),
    studyId: text(),
    subjectId: text().optional(),
    ...NOTE_CONTENT,
    followUpDoneTs: integer().optional(),
    followUpDoneBy: text().optional(),
    authorId: text(),
    createdTs: integer(),
    withdrawnTs: integer().optional(),
    withdrawnBy: text().optional(),
    withdrawnReason: text().optional(),
  }),
  /** What edits of notes replaced. */
  noteVersion: table({
    id: text(),
    noteId: text(),
    studyId: text(),
    subjectId: text().optional(),
    ...NOTE_CONTENT,
  }),
  /** Questions about data. The target is a recording or an annotation, or a day. */
  dataQuery: table({
    id: text(),
    studyId: text(),
    subjectId: text(),
    target: text<QueryTarget>(),
    targetId: text().optional(),
    date: text().optional(),
    metric: text().optional(),
    /** Of a label, task or question, as it was when the query was opened. */
    targetName: text().optional(),
    targetTs: integer().optional(),
    state: text<QueryState>(),
    assigneeId: text().optional(),
    openedBy: text(),
    openedTs: integer(),
    /** Since when it is in its state. */
    stateTs: integer(),
    lastStepId: text(),
  }),
  /** What people did about queries, in the order of `position`. Rows are only added. */
  dataQueryStep: table({
    id: text(),
    queryId: text(),
    studyId: text(),
    subjectId: text(),
    position: integer(),
    kind: text<QueryStep>(),
    /** After the step. */
    state: text<QueryState>(),
    text: text(),
    assigneeId: text().optional(),
    authorId: text(),
    createdTs: integer(),
  }),
  /** Consent forms, groups and visits of a study; a study without any has no row. */
  studyPlan: table({
    studyId: text(),
    version: integer(),
    plan: json<StudyPlan>(),
    modifiedTs: integer(),
  }),
  /** What follows from the steps of a subject. Kept by `Participation`; every subject has a row. */
  participation: table({
    subjectId: text(),
    studyId: text(),
    status: text<SubjectStatus>(),
    statusDate: text(),
    screeningDate: text().optional(),
    enrolledDate: text().optional(),
    dataDecision: text<DataDecision>().optional(),
    consentVersion: text().optional(),
    consentDate: text().optional(),
    /** Visits may count from it. */
    firstConsentDate: text().optional(),
    isConsentDue: flag().defaulted(),
    groupId: text().optional(),
    stratumId: text().optional(),
    lastPosition: integer().defaulted(),
  }),
  /** Status, consent, group and visits of a subject as they were entered, in the order of `position`. Rows are only added. */
  participationStep: table({
    id: text(),
    studyId: text(),
    subjectId: text(),
    position: integer(),
    kind: text<ParticipationStepKind>(),
    /** Local date on which it happened. */
    date: text(),
    /** Absent: the program, for subjects that were enrolled before there were steps. */
    authorId: text().optional(),
    createdTs: integer(),
    isCorrection: flag().defaulted(),
    reason: text().optional(),
    status: text<SubjectStatus>().optional(),
    dataDecision: text<DataDecision>().optional(),
    isPhoneRevoked: flag().optional(),
    consentState: text<ConsentState>().optional(),
    consentVersion: text().optional(),
    /** In the folder of images. */
    documentFile: text().optional(),
    documentName: text().optional(),
    documentMimeType: text().optional(),
    documentSizeBytes: integer().optional(),
    documentSha256: text().optional(),
    groupId: text().optional(),
    /** As they were called then. */
    groupName: text().optional(),
    stratumId: text().optional(),
    stratumName: text().optional(),
    visitId: text().optional(),
    visitName: text().optional(),
    visitState: text<VisitState>().optional(),
    visitDate: text().optional(),
    visitTime: text().optional(),
  }),
  /** The visits of a subject by the plan of the study, as they stand. Kept by `Participation`. */
  visit: table({
    id: text(),
    studyId: text(),
    subjectId: text(),
    /** In the plan. */
    visitId: text(),
    displayName: text(),
    isOptional: flag(),
    state: text<VisitState>(),
    targetDate: text(),
    fromDate: text(),
    toDate: text(),
    /** Agreed, or when it took place. */
    date: text().optional(),
    time: text().optional(),
    /** The subject's participation ended before it took place. */
    isStopped: flag().defaulted(),
    lastStepId: text().optional(),
    /** Who scheduled it last. */
    authorId: text().optional(),
    /** From this date on Today shows it. */
    attentionDate: text().optional(),
    /** When the phone is to be reminded; absent once that is done. */
    reminderTs: integer().optional(),
    remindedTs: integer().optional(),
  }),
  event: table({
    sequence: integer().defaulted(),
    accountId: text(),
    studyId: text(),
    subjectId: text().optional(),
    action: text<EventAction>(),
    actualTs: integer(),
    reportedTs: integer(),
    referenceId: text(),
    authorType: text<AuthorType>().optional(),
    authorId: text().optional(),
  }),
  audit: table({
    sequence: integer(),
    timeTs: integer(),
    actorType: text<ActorType>(),
    actorId: text().optional(),
    action: text(),
    entityType: text(),
    entityId: text(),
    studyId: text().optional(),
    subjectId: text().optional(),
    reason: text().optional(),
    changes: json<FieldChanges>(),
    previousHash: text(),
    hash: text(),
    packedChanges: blob().optional(),
    /** The entry that says who erased the content of this one. */
    erasedBy: integer().optional(),
  }),
  signature: table({
    id: text(),
    studyId: text(),
    kind: text<SignedKind>(),
    /** The study, subject, recording or export. */
    targetId: text(),
    subjectId: text().optional(),
    /** Of a day. */
    date: text().optional(),
    meaning: text<SignatureMeaning>(),
    comment: text().optional(),
    userId: text(),
    /** As it was when they signed. */
    signerName: text(),
    signedTs: integer(),
    contentVersion: integer(),
    contentSha256: text(),
    /** In the study, as it was then. Absent in signatures older than the column. */
    signerRole: text<Role>().optional(),
  }),
  /** Orders to erase a person, and what is left of them: nothing that names the person. */
  erasure: table({
    id: text(),
    subjectSha256: text(),
    studyId: text().optional(),
    /** Until the rows are gone. */
    subjectId: text().optional(),
    userId: text().optional(),
    reason: text(),
    requestedTs: integer(),
    erasedTs: integer().optional(),
    auditSequence: integer().optional(),
    /** Places in the site that are still to be removed. */
    files: json<string[]>().optional(),
    finishedTs: integer().optional(),
  }),
  /** SHA-256 of ids and contents by which data of erased people is recognised. */
  erasedMark: table({
    sha256: text(),
    erasureId: text(),
  }),
  /** When an erased person wore a sensor. */
  erasedWear: table({
    equipmentId: text(),
    fromTs: integer(),
    toTs: integer(),
    erasureId: text(),
  }),
  setting: table({
    key: text(),
    value: text(),
    modifiedTs: integer(),
  }),
  job: table({
    id: text(),
    kind: text<JobKind>(),
    state: text<JobState>(),
    studyId: text().optional(),
    subjectId: text().optional(),
    payload: json<JobPayloads[JobKind]>(),
    progress: json<JobProgress>().optional(),
    checkpoint: json<Record<string, unknown>>().optional(),
    result: json<Record<string, unknown>>().optional(),
    error: json<SerializedError>().optional(),
    attempts: integer().defaulted(),
    crashCount: integer().defaulted(),
    runAfterTs: integer(),
    createdTs: integer(),
    startedTs: integer().optional(),
    finishedTs: integer().optional(),
  }),
  /** How many jobs there are. Kept by triggers of `job`. */
  jobCount: table({
    kind: text(),
    state: text(),
    count: integer(),
  }),
  studyExport: table({
    id: text(),
    studyId: text(),
    format: text<StoredFormatName>(),
    isDeidentified: flag(),
    subjectIds: json<readonly string[]>().optional(),
    sinceTs: integer().optional(),
    sinceExportId: text().optional(),
    requestedTs: integer(),
    fileName: text().optional(),
    sizeBytes: integer().optional(),
    sha256: text().optional(),
    auditSequence: integer().optional(),
    finishedTs: integer().optional(),
    disclosedWords: json<DisclosedWords>().optional(),
    removedTs: integer().optional(),
    removedBecause: text<RemovalReason>().optional(),
  }),
  analyticsWindow: table(WINDOW),
  unusedColumns: table({
    sha256: text(),
    sinceTs: integer(),
  }),
  metricNames: table({
    id: integer().defaulted(),
    names: json<MetricNames>(),
  }),
  analyticsDay: table(DAY),
  /** Corrections by people, and the undoing of corrections, in the order of `sequence`. Rows are only added. */
  correction: table({
    id: text(),
    sequence: integer(),
    studyId: text(),
    subjectId: text(),
    recordingId: text().optional(),
    kind: text<CorrectionKind | 'UNDO'>(),
    /** Of an undoing: the correction at the beginning of its chain, and the row that it undoes. */
    rootId: text().optional(),
    undoes: text().optional(),
    /** The span of what is corrected; that of the root for an undoing. */
    startTs: integer(),
    stopTs: integer(),
    timeUs: integer().optional(),
    toUs: integer().optional(),
    code: text<BeatCode>().optional(),
    authorId: text(),
    reason: text().optional(),
    createdTs: integer(),
  }),
  /** The metrics of days that corrections touch, as computed without any. */
  uncorrectedDay: table(UNCORRECTED_DAY),
  /** Results by a stated version and parameters beside those in use, and results that such a run replaced. */
  analysisRun: table({
    id: text(),
    studyId: text(),
    name: text(),
    reason: text(),
    version: text(),
    parameters: json<AnalysisParameters>(),
    methodHash: text(),
    /** False: only some subjects were chosen. */
    isWholeStudy: flag(),
    /** Of results that were in use before: the run that was adopted in their place. */
    replacedBy: text().optional(),
    authorId: text().optional(),
    createdTs: integer(),
    cancelledTs: integer().optional(),
    /** When its last subject was stored. */
    finishedTs: integer().optional(),
    adoptedTs: integer().optional(),
    adoptedBy: text().optional(),
    adoptReason: text().optional(),
    /** Its deletion has begun: it is shown no more, and its rows go subject by subject. */
    deletedTs: integer().optional(),
  }),
  analysisRunSubject: table({
    runId: text(),
    subjectId: text(),
    /** The last analysis; absent in replaced results. */
    jobId: text().optional(),
    /** Of the recordings, labels, corrections and zones that the results are of; absent before they are stored. */
    dataHash: text().optional(),
    storedTs: integer().optional(),
    /** Set by triggers when that data changes. */
    isChanged: flag().defaulted(),
  }),
  analysisRunWindow: table({ runId: text(), ...WINDOW }),
  analysisRunDay: table({ runId: text(), ...DAY }),
  analysisRunUncorrectedDay: table({ runId: text(), ...UNCORRECTED_DAY }),
  outbox: table({
    id: text(),
    accountId: text(),
    recipient: text(),
    subject: text(),
    body: text(),
    state: text<'waiting' | 'sent' | 'failed'>(),
    attempts: integer().defaulted(),
    lastError: text().optional(),
    diagnostic: text().optional(),
    createdTs: integer(),
    sentTs: integer().optional(),
    queuedTs: integer().defaulted(),
    nextAttemptTs: integer().defaulted(),
    expirationTs: integer().optional(),
    holdsSecret: flag().defaulted(),
    readTs: integer().optional(),
  }),
  webhook: table({
    id: text(),
    accountId: text(),
    displayName: text(),
    url: text(),
    actions: json<EventAction[]>(),
    studyIds: json<string[]>(),
    trustedCertificate: text().optional(),
    sealedSecret: text(),
    previousSealedSecret: text().optional(),
    previousSecretUntilTs: integer().optional(),
    isEnabled: flag().defaulted(),
    disabledReason: text().optional(),
    failingSinceTs: integer().optional(),
    eventSequence: integer(),
    createdTs: integer(),
    modifiedTs: integer(),
  }),
  webhookDelivery: table({
    id: text(),
    webhookId: text(),
    eventSequence: integer().optional(),
    body: text(),
    state: text<'waiting' | 'delivered' | 'failed'>(),
    attempts: integer().defaulted(),
    nextAttemptTs: integer().optional(),
    giveUpTs: integer(),
    createdTs: integer(),
    endedTs: integer().optional(),
  }),
  webhookAttempt: table({
    sequence: integer().defaulted(),
    deliveryId: text(),
    startedTs: integer(),
    durationMs: integer(),
    status: integer().optional(),
    error: text().optional(),
    diagnostic: text().optional(),
    answer: text().optional(),
  }),
  deviceCredential: table({
    id: text(),
    accountId: text(),
    kind: text<DeviceKind>(),
    serial: text(),
    equipmentId: text().optional(),
    studyId: text().optional(),
    subjectId: text().optional(),
    tokenHash: text(),
    createdTs: integer(),
    firstUsedTs: integer().optional(),
    revokedTs: integer().optional(),
    revokedReason: text().optional(),
    lastAddress: text().optional(),
    webHost: text().optional(),
    lastContactTs: integer().optional(),
    batteryPercent: real().optional(),
    firmwareId: text().optional(),
    /** Of the texts that a phone shows. */
    language: text().optional(),
  }),
  pairing: table({
    id: text(),
    accountId: text(),
    userId: text(),
    state: text(),
    studyId: text().optional(),
    subjectId: text().optional(),
    secretKey: text().optional(),
    codeKey: text().optional(),
    usedKey: text<'secret' | 'code'>().optional(),
    wrongTries: integer().defaulted(),
    problem: text().optional(),
    device: json<CallingDevice>().optional(),
    address: text().optional(),
    clockDifferenceMs: integer().optional(),
    commitment: text().optional(),
    serverNonce: text().optional(),
    deviceNonce: text().optional(),
    checkCode: text().optional(),
    credentialId: text().optional(),
    pendingToken: text().optional(),
    createdTs: integer(),
    expirationTs: integer(),
    endedTs: integer().optional(),
  }),
  attentionSnooze: table({
    accountId: text(),
    itemId: text(),
    evidenceKey: text(),
    untilTs: integer(),
    reason: text(),
    userId: text(),
    createdTs: integer(),
  }),
  /** Who wants a daily digest, from which hour of their local day on. */
  digestChoice: table({
    userId: text(),
    hour: integer(),
    chosenTs: integer(),
  }),
  /** Local days of users that have had their digest. */
  digestSent: table({
    userId: text(),
    date: text(),
    sentTs: integer(),
  }),
  /** Rows that the search finds; the words are in the virtual table `searchIndex`. Kept by the triggers of `search-sources.ts`. */
  searchEntry: table({
    /** Rises with the time of the row. */
    id: integer().defaulted(),
    source: text(),
    entityId: text(),
  }),
  /** How far the rows of a source that are older than the index have been added. */
  searchBuild: table({
    source: text(),
    version: integer(),
    lastKey: text(),
    isDone: integer(),
  }),
  clockSource: table({
    id: integer().defaulted(),
    credentialId: text(),
    clock: text<'DEVICE' | 'SENSOR'>(),
    udid: text(),
  }),
  clockReading: table({
    sourceId: integer(),
    hostUs: integer(),
    clockUs: integer(),
    roundTripUs: integer(),
    receivedTs: integer(),
  }),
};

type TableDefinitions = typeof TABLES;

/** The tables as kysely sees them. */
export type Tables = { [K in keyof TableDefinitions]: KyselyRow<TableDefinitions[K]['columns']> };
