/** Backups and verification of the site, and diagnostics for support. Administrators only. */
import { z } from 'zod';
import { DISK_LEVELS, SITE_PARTS } from '../../../vocabulary/disk.ts';
import { SCRUB_PARTS } from '../../../vocabulary/scrub.ts';
import { count, diagnostic, id, listOf, timestamp } from '../common.ts';
import { withFormerNames } from '../former-names.ts';
import { defineRoutes } from '../route.ts';
import { job } from './jobs.ts';
import { databaseCheck } from './site.ts';

const directory = z.string().min(1).max(1000).meta({ description: 'Absolute path on the computer of the site.' });
const problems = z.array(z.string()).meta({ description: 'One sentence each.' });
const problemDiagnostics = z.array(diagnostic).meta({ description: '`problems` with their codes and facts.' });

const state = z.enum(['complete', 'incomplete', 'damaged', 'unreadable']).meta({
  description:
    'As far as known. incomplete: a file of the site was damaged or missing when the backup was made, and no earlier backup in the folder holds an intact copy. damaged: a check found that the backup has changed since. unreadable: it has no valid manifest.',
});

const backup = z
  .strictObject(
    withFormerNames({
      id: z.string(),
      directory,
      createdTs: timestamp.meta({ description: 'The time of the state of the site that the backup holds.' }),
      state,
      reason: z.enum(['manual', 'scheduled']).optional(),
      isOwn: z
        .boolean()
        .meta({ description: 'True when the backup is of this site, not of another one that shares the folder.' }),
      sizeBytes: count
        .optional()
        .meta({ description: 'Space needed to restore it. Backups in one folder share identical content.' }),
      countRecordings: count.optional(),
      keptFor: z
        .array(z.enum(['newest', 'daily', 'weekly', 'clock', 'manual']))
        .optional()
        .meta({
          description:
            'Why the schedule keeps it: the newest, the newest of a day or of a week, one whose day is unknown because the clock was wrong, or made by a person. Empty: the next scheduled backup removes it. Absent for backups of other sites.',
        }),
      isEncrypted: z
        .boolean()
        .optional()
        .meta({ description: 'Present when its folder is encrypted with a passphrase.' }),
      programVersion: z.string().optional(),
      schemaVersion: z.int().optional(),
      problems: problems.meta({ description: 'Problems of the site at that time, or why the backup cannot be read.' }),
      diagnostics: problemDiagnostics,
      check: z
        .strictObject(withFormerNames({ checkedTs: timestamp, problems, diagnostics: problemDiagnostics }))
        .optional()
        .meta({ description: 'The last full check.' }),
    }),
  )
  .meta({ id: 'Backup' });
export type Backup = z.infer<typeof backup>;

const recipient = z.string().meta({ description: 'Public key of age. It encrypts and opens nothing.' });
const encryptionState = z.enum(['ready', 'key-unknown', 'other-folder', 'unreachable']).meta({
  description:
    'key-unknown: the folder was encrypted by another site, or before a restore without it; its passphrase is needed once. other-folder: backups are to be encrypted, and this is not the folder that was set up for it, so none is made.',
});
const passphrase = z.string().min(10).max(1024);

const backupStatus = z
  .strictObject(
    withFormerNames({
      directory: directory.meta({ description: 'Folder of scheduled backups.' }),
      isEnabled: z.boolean(),
      nextTs: timestamp.optional(),
      lastTs: timestamp.optional().meta({
        description:
          'Time of the newest undamaged backup of this site in that folder or, while the folder cannot be reached, of the last backup job.',
      }),
      damage: z
        .strictObject(
          withFormerNames({ backupId: z.string(), createdTs: timestamp, state, diagnostics: problemDiagnostics }),
        )
        .optional()
        .meta({ description: 'Files of the site that the newest backup found missing or damaged.' }),
      isOverdue: z.boolean().meta({ description: 'A scheduled backup is overdue and needs attention.' }),
      problem: z.string().optional().meta({ description: 'Why the last attempt failed.' }),
      diagnostic: diagnostic.optional().meta({ description: '`problem` with its code.' }),
      drive: z
        .strictObject({
          name: z.string(),
          isConnected: z.boolean(),
          seenTs: timestamp.optional().meta({ description: 'When it was last there, to the hour.' }),
        })
        .optional()
        .meta({ description: 'Present when the folder is on a removable drive.' }),
      encryption: z
        .strictObject({ recipient, state: encryptionState })
        .optional()
        .meta({ description: 'Present when backups in that folder are encrypted.' }),
      disk: z
        .strictObject({ freeBytes: count, totalBytes: count })
        .optional()
        .meta({ description: 'Absent while the folder cannot be reached.' }),
      isOnSiteDisk: z.boolean().optional().meta({
        description:
          'True: the folder is on the disk of the site, so its backups do not survive that disk. Absent while the folder cannot be reached.',
      }),
    }),
  )
  .meta({ id: 'BackupStatus' });
export type BackupStatus = z.infer<typeof backupStatus>;

const diagnostics = z
  .strictObject({
    createdTs: timestamp,
    versions: z.strictObject({
      outpost: z.string(),
      node: z.string(),
      sqlite: z.string(),
      schema: z.int(),
      platform: z.string(),
    }),
    uptimeSeconds: z.number(),
    memoryBytes: count,
    counts: z.record(z.string(), count).meta({ description: 'Rows per table; above 10,000 about as many.' }),
    database: z.strictObject({
      sizeBytes: count,
      isWritable: z.boolean(),
      check: databaseCheck.extend({ problems: z.array(z.string()).optional() }),
    }),
    disk: z.strictObject({ freeBytes: count, totalBytes: count }),
    recordings: z.strictObject({ sizeBytes: count, byFileState: z.record(z.string(), count) }),
    jobs: z.strictObject({
      byKindAndState: z.record(z.string(), count),
      lastErrors: z.array(
        z.strictObject({
          jobId: id,
          kind: z.string(),
          state: z.string(),
          code: z.string(),
          finishedTs: timestamp.optional(),
        }),
      ),
    }),
    auditHead: z.strictObject({ sequence: z.int(), hash: z.string() }),
    crashes: z.array(z.strictObject({ name: z.string(), text: z.string() })).meta({
      description: 'Reports of crashes of this computer, newest first: files of the folder `logs` of the site.',
    }),
    clockSteps: z
      .array(z.strictObject({ fromTs: timestamp, toTs: timestamp }))
      .meta({ description: 'Observed jumps of the clock of the computer, newest first.' }),
  })
  .meta({ id: 'Diagnostics' });

const backupParams = z.object({ backupId: id });
const ofDirectory = z.object({ directory: directory.optional() });
const admin = { access: 'user', operation: 'backup.manage', tag: 'Backups' } as const;

const drive = z
  .strictObject({
    name: z.string(),
    path: directory.meta({ description: 'Where its files are now.' }),
    folder: directory.meta({ description: 'The folder for backups on it, which may not exist yet.' }),
    isReadOnly: z.boolean(),
    freeBytes: count.optional(),
    totalBytes: count.optional(),
  })
  .meta({ id: 'BackupDrive' });

const fileCopy = z.strictObject({
  directory,
  isEncrypted: z.boolean().meta({ description: 'Its passphrase is needed.' }),
  backupId: z.string().optional(),
  createdTs: timestamp.optional(),
});

const lostFile = z
  .strictObject({
    file: z.string().meta({ description: 'Place in the folder of the site.' }),
    state: z.enum(['MISSING', 'DAMAGED']),
    sizeBytes: count,
    recordingId: id.optional(),
    studyId: id.optional(),
    subjectId: id.optional(),
    subjectName: z.string().optional(),
    startTs: timestamp.optional().meta({ description: 'Start of the recording.' }),
    copy: fileCopy.optional().meta({ description: 'The copy that would be put back; absent when no backup has it.' }),
  })
  .meta({ id: 'LostFile' });
export type LostFile = z.infer<typeof lostFile>;

const scrubCycle = {
  startedTs: timestamp,
  files: count.meta({ description: 'Files that were read.' }),
  bytes: count,
  found: count.meta({ description: 'Damaged and missing files that were found.' }),
  healed: count.meta({ description: 'Of them, those that were repaired.' }),
  unreached: z.array(directory).meta({ description: 'Places of backups that were not there, and so were not read.' }),
};

const scrub = z
  .strictObject({
    isReading: z.boolean().meta({ description: 'False also between two looks, and while nothing is due.' }),
    everyDays: z.int().nullable().meta({ description: 'As in the settings of the site.' }),
    current: z
      .strictObject({ ...scrubCycle, part: z.enum(SCRUB_PARTS).meta({ description: 'Parts are read in this order.' }) })
      .optional()
      .meta({ description: 'The cycle under way; it continues after a restart.' }),
    last: z
      .strictObject({ ...scrubCycle, finishedTs: timestamp })
      .optional()
      .meta({ description: 'The last cycle that read everything.' }),
    findings: z
      .array(
        z.strictObject({
          part: z.enum(SCRUB_PARTS),
          directory: directory.optional().meta({ description: 'Folder of backups; absent for a file of the site.' }),
          file: z.string().meta({ description: 'Place in the site or in that folder.' }),
          state: z.enum(['HEALED', 'DAMAGED', 'MISSING']),
          from: z
            .strictObject({
              kind: z.enum(['BACKUP', 'SITE', 'SECOND_COPY', 'DERIVED', 'OTHER']),
              directory: directory.optional(),
              createdTs: timestamp.optional().meta({ description: 'Of the backup.' }),
            })
            .optional()
            .meta({ description: 'What it was repaired from.' }),
          isLocked: z.boolean().optional().meta({ description: 'Only encrypted backups have a copy.' }),
          heldBy: z.string().optional().meta({ description: 'Name of the device that still holds the recording.' }),
          elsewhere: z.array(z.string()).optional().meta({ description: 'Places that have a copy which is not good.' }),
          message: z.string().optional(),
          foundTs: timestamp,
          healedTs: timestamp.optional(),
        }),
      )
      .meta({ description: 'At most 100: those not repaired first, then the newest.' }),
    countOpen: count.meta({ description: 'Findings that are not repaired.' }),
  })
  .meta({ id: 'Scrub' });
export type Scrub = z.infer<typeof scrub>;

export const backupRoutes = defineRoutes({
  getScrub: {
    method: 'GET',
    path: '/site/scrub',
    access: 'user',
    operation: 'site.manage',
    tag: 'Backups',
    summary: 'Get how far the reading of everything has come, and what it found',
    description:
      'Everything that is stored (signal files, analysis results, images, received files, exports, the database, and all backups that can be reached) is read in content while nobody needs the computer, and repaired from a second copy.',
    status: 200,
    response: scrub,
  },
  startScrub: {
    method: 'POST',
    path: '/site/scrub',
    access: 'user',
    operation: 'site.manage',
    tag: 'Backups',
    summary: 'Read everything now',
    description:
      'Begins a cycle, or continues the one under way. It still gives way to uploads, analyses and people. Repeating it is harmless.',
    status: 204,
  },

  listBackupDrives: {
    ...admin,
    method: 'GET',
    path: '/site/drives',
    summary: 'List the removable drives that are connected',
    description: 'USB disks, sticks and memory cards of the computer of the site that are mounted.',
    order: ['name', 'path'],
    status: 200,
    response: listOf(drive),
  },
  listLostFiles: {
    ...admin,
    method: 'GET',
    path: '/site/lost_files',
    summary: 'List lost and damaged files of the site and their copies in backups',
    description:
      'Signal files that a check found lost or damaged, and column files and files in quarantine that are missing; at most 500. A copy has the size and the name of the right content, and is compared with its hash before it is put back.',
    order: ['file'],
    status: 200,
    response: listOf(lostFile),
  },
  returnLostFiles: {
    ...admin,
    method: 'POST',
    path: '/site/lost_files/return',
    summary: 'Put lost and damaged files back from backups',
    description:
      'Copies each file beside its place, compares it with the hash that the database has, and only then puts it in place. A good file is never replaced. `passphrase` opens encrypted backups; without it, files that only these have are counted in `locked`. Repeating it is harmless.',
    body: z.object({ passphrase: passphrase.optional() }),
    status: 200,
    response: z.strictObject({
      returned: count,
      locked: count,
      failed: z.array(z.strictObject({ file: z.string(), message: z.string() })),
    }),
  },
  listBackups: {
    ...admin,
    method: 'GET',
    path: '/site/backups',
    summary: 'List backups',
    description:
      'Backups in `directory` or, without it, in the folder of the site, that of the schedule and the last 10 others that were backed up to, also with the command line.',
    order: 'newest first',
    query: ofDirectory,
    status: 200,
    response: listOf(backup),
  },
  createBackup: {
    ...admin,
    method: 'POST',
    path: '/site/backups',
    summary: 'Back up the site now',
    description:
      'A job backs up the running site and verifies the backup by reading it back. Its result has `outcome`: `complete`, or `incomplete` with the files of which no good copy exists in `lacking`. `directory` is an existing folder, such as one on a USB disk; default: the folder of the schedule. Backups requested by a person are kept until they are deleted.',
    body: ofDirectory,
    status: 202,
    response: job,
  },
  encryptBackups: {
    ...admin,
    method: 'POST',
    path: '/site/backups/encryption',
    summary: 'Encrypt backups with a passphrase',
    description:
      'Sets up an empty folder for encrypted backups or, where one is encrypted already, has the site learn its key, and makes it the folder of the schedule. `directory` is created where only its last part does not exist. The passphrase has at least 10 characters and is not stored: backups are made with the public key, and nobody can restore one without the passphrase.',
    body: z.object({ directory, passphrase }),
    status: 200,
    response: z.strictObject({
      directory,
      recipient,
      isNew: z.boolean().meta({ description: 'False when the folder was encrypted already.' }),
    }),
  },
  changeBackupPassphrase: {
    ...admin,
    method: 'PUT',
    path: '/site/backups/encryption',
    summary: 'Change the passphrase of encrypted backups',
    description:
      'For all backups in `directory`, default: the folder of the schedule. Their content is not encrypted again: who has a copy of the folder from before and the former passphrase can still read that copy.',
    body: z.object({ directory: directory.optional(), passphrase, newPassphrase: passphrase }),
    status: 204,
  },
  getBackupStatus: {
    ...admin,
    method: 'GET',
    path: '/site/backup_status',
    summary: 'Get when the last backup was made and when the next one is due',
    description: 'Follows the schedule in the settings of the site.',
    status: 200,
    response: backupStatus,
  },
  verifyBackup: {
    ...admin,
    method: 'POST',
    path: '/site/backups/{backupId}/verification',
    summary: 'Verify a backup against its manifest',
    description: 'Reads the whole backup. The outcome is the result of the job and is kept with the backup as `check`.',
    params: backupParams,
    query: ofDirectory,
    status: 202,
    response: job,
  },
  planRestore: {
    ...admin,
    method: 'GET',
    path: '/site/backups/{backupId}/restore_plan',
    summary: 'Get where a backup could be restored, and whether there is room',
    description:
      'Suggests a new folder beside that of the site, or in the home folder of its user where nothing can be made there. Without `folder`, for the suggestion.',
    params: backupParams,
    query: z.object({
      directory: directory.optional(),
      folder: directory.optional().meta({ description: 'The room on the disk of this folder is wanted.' }),
    }),
    status: 200,
    response: z
      .strictObject({
        folder: directory,
        siteName: z.string().optional().meta({ description: 'Unknown for encrypted backups of other sites.' }),
        neededBytes: count,
        freeBytes: count.meta({
          description:
            'What a restore may use: on the disk of the running site, the reserve of its database stays free.',
        }),
      })
      .meta({ id: 'RestorePlan' }),
  },
  restoreBackup: {
    ...admin,
    method: 'POST',
    path: '/site/restores',
    summary: 'Restore a backup as a site in a new folder',
    description:
      'The running site is not changed. `folder` is an absolute path: a new or empty folder whose parent exists, outside of every site and of the backups. The password of the caller is asked again and throttled as a sign-in; so is `passphrase`, which encrypted backups need and which is not stored. A job reads the whole backup, then makes the site under another name beside `folder`, which it removes if it fails or is cancelled. Its result has `folder`, `outcome`, `createdTs`, `recordings`, `sizeBytes` and, where `outcome` is `incomplete`, `lost` (at most 200 of `countLost`): the files that are damaged or missing in the backup. 403 PASSPHRASE_WRONG, 409 SITE_EXISTS, 503 SITE_NEWER and 507 DISK_FULL change nothing.',
    body: z.object({
      backupId: id,
      directory: directory.optional().meta({ description: 'Folder of the backup; as in `listBackups`.' }),
      folder: directory,
      password: z.string().min(1).max(64).meta({ description: 'Of the caller.' }),
      passphrase: z.string().min(1).max(1024).optional().meta({ description: 'Of the encrypted backups.' }),
    }),
    errorStatuses: [404, 429],
    status: 202,
    response: job,
  },
  deleteBackup: {
    ...admin,
    method: 'DELETE',
    path: '/site/backups/{backupId}',
    summary: 'Delete a backup',
    description:
      'Content that other backups in the folder share stays. A backup that is being restored is not deleted (CONFLICT).',
    params: backupParams,
    query: ofDirectory,
    status: 204,
  },
  getDiskUse: {
    method: 'GET',
    path: '/site/disk_use',
    access: 'user',
    operation: 'site.manage',
    tag: 'Backups',
    summary: 'Get what fills the disk of the site',
    description: 'Reads the size of every file of the site, which takes a while in a large one.',
    status: 200,
    response: z
      .strictObject({
        disk: z.strictObject({ freeBytes: count, totalBytes: count }),
        neededBytes: count.meta({
          description: 'What has to be freed until the site takes recordings again; 0 while it does.',
        }),
        level: z.enum(DISK_LEVELS).meta({
          description:
            '`scarce`: imports, exports, backups on this disk and messages of phones wait. `low`: recordings of devices wait too. `emergency`: only people at the desk can write.',
        }),
        neededForAllBytes: count.meta({
          description: 'What has to be freed until nothing waits; 0 while nothing does.',
        }),
        promisedBytes: count.meta({ description: 'Announced by devices and people, and not written yet.' }),
        emergencyBytes: count.meta({ description: 'Size of the file that is given up when the disk is full.' }),
        othersBytes: count.meta({ description: 'Files on the disk that are not of this site.' }),
        parts: z.array(z.strictObject({ part: z.enum(SITE_PARTS), sizeBytes: count })).meta({
          description: 'The folder of the site, the largest part first. exports are made again on request.',
        }),
      })
      .meta({ id: 'DiskUse' }),
  },
  verifySite: {
    method: 'POST',
    path: '/site/verify',
    access: 'user',
    operation: 'site.manage',
    tag: 'Backups',
    summary: 'Verify the whole site',
    description:
      'Checks every hash, block and row, and the audit chain. The result of the job has `problems` (at most 200 of `countProblems`, each with `step`, `id`, `message`, `code`, `facts`), `checked`, `auditHead` and `audit: {isIntact, message}`, whose message names the first broken entry.',
    status: 202,
    response: job,
  },
  getDiagnostics: {
    method: 'GET',
    path: '/site/diagnostics',
    access: 'user',
    operation: 'site.manage',
    tag: 'Backups',
    summary: 'Get diagnostics for support',
    description:
      'Versions, counts, disk, jobs and the codes of their last errors. Contains no personal data, names or paths.',
    status: 200,
    response: diagnostics,
  },
});
