/** Backups of the site, its check, and what support needs to know of it. Administrators only. */
import { z } from 'zod';
import { count, diagnostic, id, listOf, timestamp } from '../common.ts';
import { withFormerNames } from '../former-names.ts';
import { defineRoutes } from '../route.ts';
import { job } from './jobs.ts';

const directory = z.string().min(1).max(1000).meta({ description: 'Absolute path on the computer of the site.' });
const problems = z.array(z.string()).meta({ description: 'One sentence each.' });
const problemDiagnostics = z.array(diagnostic).meta({ description: '`problems` with their codes and facts.' });

const state = z.enum(['complete', 'incomplete', 'damaged', 'unreadable']).meta({
  description:
    'As far as is known. Incomplete: a file of the site was damaged or missing when the backup was made, and no earlier backup in the folder has it whole. Damaged: a check found that the backup changed since. Unreadable: it has no manifest that holds.',
});

const backup = z
  .strictObject(
    withFormerNames({
      id: z.string(),
      directory,
      createdTs: timestamp.meta({ description: 'The site as it was then.' }),
      state,
      reason: z.enum(['manual', 'scheduled']).optional(),
      isOwn: z.boolean().meta({ description: 'Of this site, not of another one that shares the folder.' }),
      sizeBytes: count
        .optional()
        .meta({ description: 'What restoring it takes. Backups in one folder share what is the same.' }),
      countRecordings: count.optional(),
      programVersion: z.string().optional(),
      schemaVersion: z.int().optional(),
      problems: problems.meta({ description: 'What was wrong in the site at that time, or why it cannot be read.' }),
      diagnostics: problemDiagnostics,
      check: z
        .strictObject(withFormerNames({ checkedTs: timestamp, problems, diagnostics: problemDiagnostics }))
        .optional()
        .meta({ description: 'The last time that all of it was read.' }),
    }),
  )
  .meta({ id: 'Backup' });
export type Backup = z.infer<typeof backup>;

const backupStatus = z
  .strictObject(
    withFormerNames({
      directory: directory.meta({ description: 'Where scheduled backups go.' }),
      isEnabled: z.boolean(),
      nextTs: timestamp.optional(),
      lastTs: timestamp.optional().meta({
        description:
          'The newest backup of this site there that is not damaged; while the folder cannot be reached, when one was made last.',
      }),
      damage: z
        .strictObject(
          withFormerNames({ backupId: z.string(), createdTs: timestamp, state, diagnostics: problemDiagnostics }),
        )
        .optional()
        .meta({ description: 'What the newest backup found missing or damaged in the site.' }),
      isOverdue: z.boolean().meta({ description: 'There should have been one since; someone should look.' }),
      problem: z.string().optional().meta({ description: 'Why the last attempt failed.' }),
      diagnostic: diagnostic.optional().meta({ description: '`problem` with its code.' }),
      disk: z
        .strictObject({ freeBytes: count, totalBytes: count })
        .optional()
        .meta({ description: 'Absent while the folder cannot be reached.' }),
    }),
  )
  .meta({ id: 'BackupStatus' });

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
    counts: z.record(z.string(), count).meta({ description: 'Rows of each table.' }),
    database: z.strictObject({ sizeBytes: count, isWritable: z.boolean() }),
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
    clockSteps: z
      .array(z.strictObject({ fromTs: timestamp, toTs: timestamp }))
      .meta({ description: 'When the clock of the computer was seen to jump, newest first.' }),
  })
  .meta({ id: 'Diagnostics' });

const backupParams = z.object({ backupId: id });
const ofDirectory = z.object({ directory: directory.optional() });
const admin = { access: 'user', operation: 'backup.manage', tag: 'Backups' } as const;

export const backupRoutes = defineRoutes({
  listBackups: {
    ...admin,
    method: 'GET',
    path: '/site/backups',
    summary: 'List backups',
    description: 'Of `directory`, or else of the folder of the site and the one of the schedule.',
    order: 'newest first',
    query: ofDirectory,
    status: 200,
    response: listOf(backup),
  },
  createBackup: {
    ...admin,
    method: 'POST',
    path: '/site/backups',
    summary: 'Back the site up now',
    description:
      'A job does it beside the running site and reads the backup back before it counts. Its result says `outcome`: `complete`, or `incomplete` with the files that the site has no good copy of in `lacking`. `directory` is an existing folder, such as one on a USB disk; default the folder of the schedule. Backups that a person asked for stay until they are deleted.',
    body: ofDirectory,
    status: 202,
    response: job,
  },
  getBackupStatus: {
    ...admin,
    method: 'GET',
    path: '/site/backup_status',
    summary: 'When the last backup was made and when the next one is due',
    description: 'Of the schedule in the settings of the site.',
    status: 200,
    response: backupStatus,
  },
  verifyBackup: {
    ...admin,
    method: 'POST',
    path: '/site/backups/{backupId}/verification',
    summary: 'Read all of a backup and compare it with its manifest',
    description: 'The diagnostic is the result of the job and stays with the backup as `check`.',
    params: backupParams,
    query: ofDirectory,
    status: 202,
    response: job,
  },
  deleteBackup: {
    ...admin,
    method: 'DELETE',
    path: '/site/backups/{backupId}',
    summary: 'Delete a backup',
    description: 'What other backups in its folder share with it stays.',
    params: backupParams,
    query: ofDirectory,
    status: 204,
  },
  verifySite: {
    method: 'POST',
    path: '/site/verify',
    access: 'user',
    operation: 'site.manage',
    tag: 'Backups',
    summary: 'Check the whole site',
    description:
      'Every hash, page and row, and the chain of the audit. The result of the job has `problems` (at most 200 of `countProblems`, each with `step`, `id`, `message`, `code`, `facts`), `checked`, `auditHead` and `audit: {isIntact, message}`, whose message names the first broken entry.',
    status: 202,
    response: job,
  },
  getDiagnostics: {
    method: 'GET',
    path: '/site/diagnostics',
    access: 'user',
    operation: 'site.manage',
    tag: 'Backups',
    summary: 'Facts for support',
    description:
      'Versions, counts, disk, jobs and the codes of their last errors. Nothing personal, no names and no paths.',
    status: 200,
    response: diagnostics,
  },
});
