/** Docked recorders and watched folders, and the recordings that are taken from them. */
import { z } from 'zod';
import {
  DOCK_ACTIONS,
  DRIVE_STATES,
  FILE_FAULTS,
  TRANSFER_QUESTIONS,
  TRANSFER_SOURCES,
  TRANSFER_STATES,
} from '../../../vocabulary/docks.ts';
import { count, diagnostic, id, idParams, listOf, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

const TRANSFER_ACTIONS = ['take', 'dismiss', 'confirm'] as const;

const unreadableFile = z
  .strictObject({
    name: z.string().meta({ description: 'Of a folder: its path below the watched one.' }),
    why: z.enum(FILE_FAULTS).meta({
      description:
        'NO_ACCESS: the user that runs Outpost may not read it; IN_USE: another program has it open; AWAY: its drive does not answer; DISK_ERROR.',
    }),
  })
  .meta({ id: 'UnreadableFile' });

const transfer = z
  .strictObject({
    id,
    source: z.enum(TRANSFER_SOURCES).meta({ description: 'A docked recorder, or a watched folder.' }),
    displayName: z.string().meta({ description: 'Label of the drive, or path of the file below its folder.' }),
    files: z
      .array(z.string())
      .meta({ description: 'Names of the files that are taken together; empty where it is one file.' }),
    missingFiles: z
      .array(z.string())
      .optional()
      .meta({ description: 'Files that its header names and that are not there.' }),
    unreadableFiles: z.array(unreadableFile).optional().meta({
      description: 'Files of it, or beside it, that could not be read for minutes. Taking it leaves them out.',
    }),
    lateFiles: z
      .array(z.string())
      .optional()
      .meta({ description: 'Those of its files that arrived after others of the same recording were taken.' }),
    isTable: z.boolean().meta({ description: 'A delimited text that is read by a template of the study.' }),
    csvTemplateId: id.optional().meta({ description: 'The only template of the study of its folder with its header.' }),
    needsStart: z.boolean().meta({ description: 'The file does not say when it was recorded.' }),
    isPresent: z.boolean().meta({ description: 'The device is plugged in, or the file is in its folder.' }),
    state: z.enum(TRANSFER_STATES).meta({
      description:
        'OFFERED to the subject to whom the device was handed; QUESTION: a person has to say whose it is; COPYING; IMPORTING; STORED: verified and stored; CONFIRMED: a person has seen that, so the device may be cleared; FAILED; DISMISSED.',
    }),
    question: z.enum(TRANSFER_QUESTIONS).optional().meta({ description: 'Why a person has to say whose it is.' }),
    message: z.string().optional().meta({ description: 'The question, or why the transfer failed.' }),
    problem: diagnostic.optional().meta({ description: 'Why a copy is interrupted. It continues automatically.' }),
    code: z.string().optional().meta({ description: 'Why the transfer failed.' }),
    model: z.string().optional(),
    serial: z.string().optional().meta({ description: 'As the file names the device.' }),
    sessionId: z.int().optional(),
    subjectCode: z
      .string()
      .optional()
      .meta({ description: 'Code that was entered when the device was configured. For comparison only.' }),
    equipmentId: z.string().optional().meta({ description: 'Serial number in the register.' }),
    startTs: timestamp.optional(),
    stopTs: timestamp.optional(),
    studyId: id.optional(),
    subjectId: id.optional().meta({ description: 'The subject of the recording, or the presumed one.' }),
    heldFromTs: timestamp.optional().meta({ description: 'When the device was handed to the presumed subject.' }),
    heldUntilTs: timestamp.optional().meta({ description: 'When it was taken back; absent while it is held.' }),
    sizeBytes: count,
    receivedBytes: count.meta({ description: 'Bytes copied.' }),
    bytesPerSecond: count.optional(),
    remainingMs: count.optional().meta({ description: 'Absent until the rate is stable.' }),
    sha256: z.string().optional().meta({ description: 'Of the copy, which was compared with the device.' }),
    blocks: count.optional().meta({ description: 'Data blocks of an Axivity file.' }),
    badBlocks: count.optional().meta({ description: 'Blocks whose checksum is wrong on the device.' }),
    recordingIds: z.array(id),
    isAnalysed: z.boolean(),
    jobId: id.optional(),
    actions: z.array(z.enum(TRANSFER_ACTIONS)).meta({ description: 'Actions available now.' }),
    decisionReason: z.string().optional(),
    confirmedTs: timestamp.optional(),
    createdTs: timestamp.optional().meta({ description: 'When it was taken or dismissed.' }),
  })
  .meta({ id: 'Transfer' });
export type Transfer = z.infer<typeof transfer>;

const dock = z
  .strictObject({
    label: z.string(),
    state: z.enum(DRIVE_STATES).meta({
      description:
        'SETTLING: just plugged in; EMPTY: configured, without data; RECORDING: holds a recording; UNREADABLE.',
    }),
    model: z.string().optional(),
    serial: z.string().optional(),
    sizeBytes: count,
    transferId: id.optional().meta({ description: 'Its recording, where the caller may see it.' }),
    mayClear: z
      .boolean()
      .meta({ description: 'A person has confirmed that what it holds now is stored and verified.' }),
  })
  .meta({ id: 'Dock' });

const watchedFolder = z
  .strictObject({
    path: z.string(),
    studyId: id,
    action: z.enum(DOCK_ACTIONS),
    isThere: z.boolean().meta({ description: 'False while it cannot be read.' }),
    recordings: count,
    growing: count.meta({ description: 'Files that are still being written, or are new.' }),
    foreign: count.meta({ description: 'Files that are no recording of a device.' }),
    unreadable: count,
    unreadableFiles: z
      .array(unreadableFile)
      .meta({ description: 'The first 20 files and folders that cannot be read. They are tried again at every look.' }),
    isCut: z.boolean().meta({ description: 'There are more files or levels than are looked at.' }),
  })
  .meta({ id: 'WatchedFolder' });

const docks = z
  .strictObject({
    isOn: z.boolean().meta({ description: 'Whether plugged-in recorders are looked for.' }),
    lookedTs: timestamp.optional().meta({ description: 'When was looked last.' }),
    docks: z.array(dock),
    folders: z.array(watchedFolder),
  })
  .meta({ id: 'Docks' });
export type Docks = z.infer<typeof docks>;

export const dockRules = z
  .strictObject({
    isOn: z.boolean().meta({ description: 'Whether plugged-in recorders are looked for.' }),
    action: z.enum(DOCK_ACTIONS).meta({
      description: 'TAKE: recordings whose subject is certain are taken without a person. OFFER: a person takes each.',
    }),
    timeZone: z
      .string()
      .min(1)
      .max(64)
      .nullable()
      .meta({ description: 'Zone of the clock of recorders whose files name none; null: that of the computer.' }),
    folders: z
      .array(
        z.strictObject({
          path: z.string().min(1).max(1000).meta({ description: 'Absolute path on the computer of the site.' }),
          studyId: id,
          action: z.enum(DOCK_ACTIONS),
        }),
      )
      .max(50),
  })
  .meta({ id: 'DockRules' });

const transferParams = z.object({ accountId: id, transferId: id });
const reason = z.string().trim().min(1).max(500);

export const dockRoutes = defineRoutes({
  getDocks: {
    method: 'GET',
    path: '/accounts/{accountId}/docks',
    access: 'user',
    operation: 'transfer.read',
    tag: 'Docks',
    summary: 'Get the plugged-in recorders and the watched folders',
    description: 'Folders of studies that the caller may not see are left out.',
    params: idParams.account,
    status: 200,
    response: docks,
  },
  listTransfers: {
    method: 'GET',
    path: '/accounts/{accountId}/transfers',
    access: 'user',
    operation: 'transfer.read',
    tag: 'Docks',
    summary: 'List recordings on docked recorders and in watched folders',
    description:
      'Those that are there and undecided, and the last 200 that were decided. Those of a study are visible to its members.',
    order: 'undecided, then -createdTs',
    params: idParams.account,
    status: 200,
    response: listOf(transfer),
  },
  takeTransfer: {
    method: 'POST',
    path: '/accounts/{accountId}/transfers/{transferId}/take',
    access: 'user',
    operation: 'transfer.decide',
    tag: 'Docks',
    summary: 'Take a recording for a subject',
    description:
      'It is copied, verified, imported and analysed. A reason is required when it is a question, or is taken for another subject than it is offered to (400), and a template of the study where a table has the header of none or of several. 409 for a recording that was taken already.',
    params: transferParams,
    body: z.object({
      studyId: id,
      subjectId: id,
      reason: reason.optional(),
      timeZone: z.string().min(1).max(64).optional().meta({ description: 'Zone of the clock of the recorder.' }),
      location: z.string().min(1).max(64).optional().meta({ description: 'Where it was worn, such as WRIST.' }),
      side: z.string().min(1).max(16).optional(),
      startTs: timestamp.optional().meta({ description: 'Start of a recording whose file does not say it.' }),
      csvTemplateId: id
        .optional()
        .meta({ description: 'Template of the study by which a table is read, where not exactly one has its header.' }),
    }),
    status: 200,
    response: transfer,
  },
  dismissTransfer: {
    method: 'POST',
    path: '/accounts/{accountId}/transfers/{transferId}/dismiss',
    access: 'user',
    operation: 'transfer.decide',
    tag: 'Docks',
    summary: 'Dismiss a recording',
    description: 'Stops a copy. The device or file stays as it is, and the recording can still be taken.',
    params: transferParams,
    body: z.object({ reason }),
    status: 204,
  },
  confirmTransfer: {
    method: 'POST',
    path: '/accounts/{accountId}/transfers/{transferId}/confirm',
    access: 'user',
    operation: 'transfer.decide',
    tag: 'Docks',
    summary: 'Confirm that a recording is verified',
    description:
      'The stored recording is read once more; when it is whole, the device may be cleared in the program of its maker. Nothing is ever written to the device. 409 when the recording is not stored, or not whole.',
    params: transferParams,
    status: 200,
    response: transfer,
  },
});
