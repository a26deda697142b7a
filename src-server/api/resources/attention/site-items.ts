/** Attention items of the site for its administrators: backups, mail, webhooks, clock, and failed jobs. */

import { ANALYTICS_VERSION } from '../../../analytics/version.ts';
import { CLOCK_SLACK_MS, durationText, isRecent } from '../../../clock-rules.ts';
import type { StudyRecord } from '../../../db/index.ts';
import { DAY_MS } from '../../../durations.ts';
import { recordingOf } from '../../../integrity/backup/manifest.ts';
import type { ScrubFinding } from '../../../integrity/scrub/state.ts';
import type { AttentionItem } from '../../../study/attention.ts';
import type { JobRow } from '../../../study/jobs.ts';
import type { FreeablePart } from '../../../vocabulary/disk.ts';
import type { ApiDeps } from '../../deps.ts';
import { backupStatus, isAwayForLong } from '../background/backup-status.ts';

const JOB_LIMIT = 200;
const RECENT_MS = 14 * DAY_MS;
/** Kinds of jobs that fail unattended and leave data unprocessed. Backups have an attention reason of their own. */
const UNATTENDED: ReadonlySet<string> = new Set(['analyse', 'receive', 'import']);

/** Returns failed and parked jobs of the studies and, with `withSiteJobs`, of the site. */
export async function failedJobs(
  deps: ApiDeps,
  studyIds: readonly string[],
  withSiteJobs: boolean,
): Promise<AttentionItem[]> {
  const states = ['failed', 'parked'] as const;
  const rows = await deps.jobs.list({ studyIds, withSiteJobs, states, limit: JOB_LIMIT });
  return rows.flatMap((job): AttentionItem[] => {
    const sinceTs = job.finishedTs ?? job.createdTs;
    // Together one item of the study, see `versionItems`.
    if (job.error?.code === 'VERSION_NOT_AVAILABLE' && !isOfRun(job)) return [];
    if (job.kind === 'backup' || sinceTs < deps.clock() - RECENT_MS) return [];
    if (job.state !== 'parked' && !UNATTENDED.has(job.kind)) return [];
    const { studyId, subjectId }: { studyId?: string; subjectId?: string } = job.payload;
    const detail = job.error?.message;
    return [
      {
        id: `JOB_FAILED:${job.id}`,
        reason: 'JOB_FAILED',
        sentence: `A job (${job.kind}) ${job.state === 'parked' ? 'was parked after repeated failures' : 'failed'}.`,
        ...(studyId !== undefined && { studyId }),
        ...(subjectId !== undefined && { subjectId }),
        sinceTs,
        evidence: { jobId: job.id, code: job.kind, atTs: sinceTs, ...(detail !== undefined && { detail }) },
        evidenceKey: String(sinceTs),
        action: { kind: 'RETRY_JOB', target: { type: 'job', id: job.id } },
      },
    ];
  });
}

const isOfRun = ({ payload }: JobRow) => 'runId' in payload && payload.runId !== undefined;

/** Studies whose new data waits for the version to which they are pinned. */
export async function versionItems(deps: ApiDeps, studies: readonly StudyRecord[]): Promise<AttentionItem[]> {
  const items: AttentionItem[] = [];
  for (const { id, pinnedVersion } of studies) {
    const waiting = pinnedVersion === undefined ? [] : await deps.store.analysisRuns.waitingJobs(id);
    const [first] = waiting;
    if (pinnedVersion === undefined || !first) continue;
    const count = new Set(waiting.map(({ subjectId }) => subjectId)).size;
    items.push({
      id: `VERSION_AWAITED:${id}`,
      reason: 'VERSION_AWAITED',
      sentence: `New data of ${count} ${count === 1 ? 'subject' : 'subjects'} waits for version ${pinnedVersion} of the algorithms, to which the study is pinned; this program has version ${ANALYTICS_VERSION}. Adopt an analysis run with version ${ANALYTICS_VERSION}, or install the program that has version ${pinnedVersion}.`,
      studyId: id,
      sinceTs: first.createdTs,
      evidence: { count, code: pinnedVersion, detail: ANALYTICS_VERSION },
      evidenceKey: `${pinnedVersion} ${ANALYTICS_VERSION}`,
      action: { kind: 'CHECK_ANALYSIS', target: { type: 'study', id } },
    });
  }
  return items;
}

/** Certificates that a person must renew: the clinic's own, and after ten years the authority. */
function certificateItems(deps: ApiDeps): AttentionItem[] {
  const now = deps.clock();
  return deps.lan.certificates.ends().flatMap(({ kind, name, warnFromTs, notAfterTs }): AttentionItem[] => {
    if (now <= warnFromTs) return [];
    const hasEnded = notAfterTs <= now;
    const what = kind === 'OWN' ? `The certificate for ${name}` : `The certificate authority ${name}`;
    return [
      {
        id: `CERTIFICATE_ENDS:${kind}`,
        reason: 'CERTIFICATE_ENDS',
        sentence: hasEnded
          ? `${what} has ended, so phones refuse the site. ${kind === 'OWN' ? 'Renew' : 'Replace'} it.`
          : `${what} ends soon. ${kind === 'OWN' ? 'Renew' : 'Replace'} it.`,
        sinceTs: hasEnded ? notAfterTs : warnFromTs,
        evidence: { detail: name, code: hasEnded ? 'ENDED' : 'ENDS_SOON', atTs: notAfterTs },
        evidenceKey: `${notAfterTs} ${hasEnded}`,
        action: { kind: 'CHECK_CERTIFICATE', target: { type: 'site', id: deps.siteId } },
      },
    ];
  });
}

async function backupItems(deps: ApiDeps): Promise<AttentionItem[]> {
  const status = await backupStatus(deps);
  const sinceTs = status.lastTs ?? deps.siteCreatedTs;
  const action = { kind: 'CHECK_BACKUP', target: { type: 'site', id: deps.siteId } } as const;
  const items: AttentionItem[] = [];
  if (status.problem !== undefined) {
    items.push({
      id: 'BACKUP_FAILED:site',
      reason: 'BACKUP_FAILED',
      sentence: `The last backup failed: ${status.problem}`,
      sinceTs,
      evidence: { detail: status.problem, ...(status.lastTs !== undefined && { atTs: status.lastTs }) },
      evidenceKey: `${status.problem} ${status.lastTs}`,
      action,
    });
  } else if (status.isEnabled && status.drive && isAwayForLong(status.drive, deps.clock())) {
    const { name, seenTs } = status.drive;
    items.push({
      id: 'BACKUP_DRIVE_AWAY:site',
      reason: 'BACKUP_DRIVE_AWAY',
      sentence: `The backup drive ${name} was not connected for a week. Connect it, and the backup starts automatically.`,
      sinceTs: seenTs ?? sinceTs,
      evidence: { detail: name, ...(seenTs !== undefined && { atTs: seenTs }) },
      evidenceKey: `${name} ${seenTs}`,
      action,
    });
  } else if (status.isOverdue) {
    items.push({
      id: 'BACKUP_OVERDUE:site',
      reason: 'BACKUP_OVERDUE',
      sentence: 'The scheduled backup is overdue.',
      sinceTs,
      evidence: status.lastTs === undefined ? {} : { atTs: status.lastTs },
      evidenceKey: String(status.lastTs),
      action,
    });
  }
  if (status.damage) items.push(await damageItem(deps, status.damage));
  return items;
}

/** Number of damaged files listed by name; the page of the backup lists all. */
const NAMED_FILES = 3;

async function damageItem(
  deps: ApiDeps,
  { backupId, createdTs, state, diagnostics }: NonNullable<Awaited<ReturnType<typeof backupStatus>>['damage']>,
): Promise<AttentionItem> {
  const files = diagnostics.flatMap(({ facts }) => (facts?.file === undefined ? [] : [String(facts.file)]));
  const names = await Promise.all(files.slice(0, NAMED_FILES).map((file) => nameOf(deps, file)));
  const more = files.length > NAMED_FILES ? [`+${files.length - NAMED_FILES}`] : [];
  const detail = [...names, ...more].join('; ');
  const advice =
    state === 'incomplete'
      ? 'Some have no intact copy in it; look for one in an older backup, or import them again.'
      : 'It holds intact copies; restore them from there.';
  return {
    id: 'DATA_DAMAGED:site',
    reason: 'DATA_DAMAGED',
    sentence: `The last backup found damaged or missing files: ${detail}. ${advice}`,
    sinceTs: createdTs,
    evidence: { count: files.length, detail, code: backupId, atTs: createdTs },
    // The same files found by the next backup are the same item.
    evidenceKey: `${state} ${files.sort().join(' ')}`,
    action: { kind: 'CHECK_BACKUP', target: { type: 'site', id: deps.siteId } },
  };
}

/** Returns a readable name of a file: subject, placement of the sensor and start of the recording. */
async function nameOf(deps: ApiDeps, file: string): Promise<string> {
  const recordingId = recordingOf(file);
  const recording = recordingId === undefined ? undefined : await deps.store.recordings.get(recordingId);
  if (!recording) return file;
  const subject = await deps.store.subjects.get(recording.subjectId);
  const start = new Date(Math.floor(recording.startUs / 1000)).toISOString().slice(0, 16).replace('T', ' ');
  return [subject?.displayName, recording.physicalConfig.location, `${start} UTC`].filter(Boolean).join(', ');
}

/** Why a file is not repaired, which decides what a person does. */
function adviceOf({ part, isLocked, heldBy }: ScrubFinding): 'ROWS' | 'LOCKED' | 'HELD' | 'NONE' {
  if (part === 'database') return 'ROWS';
  if (isLocked) return 'LOCKED';
  return heldBy === undefined ? 'NONE' : 'HELD';
}

const ADVICE: Record<ReturnType<typeof adviceOf>, string> = {
  ROWS: 'These entries of the database do not match their checksums. Verify the site, and restore a backup made before.',
  LOCKED: 'Encrypted backups have a copy: enter their passphrase on the Backups page.',
  HELD: 'The device still holds the recording and is asked to send it again at its next contact.',
  NONE: 'No copy was found: connect another backup disk, or import the recording again.',
};

/** Where a finding is, in words. */
const findingName = async (deps: ApiDeps, { directory, file }: ScrubFinding): Promise<string> =>
  directory === undefined ? await nameOf(deps, file) : [directory, file].filter(Boolean).join('/');

async function namesOf(deps: ApiDeps, findings: readonly ScrubFinding[]): Promise<string> {
  const names = await Promise.all(findings.slice(0, NAMED_FILES).map((one) => findingName(deps, one)));
  const more = findings.length > NAMED_FILES ? [`+${findings.length - NAMED_FILES}`] : [];
  return [...names, ...more].join('; ');
}

/** What the reading of everything found: files that could not be repaired, and for two weeks those that were. */
async function scrubItems(deps: ApiDeps): Promise<AttentionItem[]> {
  const { findings } = deps.scrub();
  const target = { type: 'site', id: deps.siteId } as const;
  const items: AttentionItem[] = [];
  const open = findings.filter(({ state }) => state !== 'HEALED');
  for (const [code, group] of Map.groupBy(open, adviceOf)) {
    const detail = await namesOf(deps, group);
    const count = group.length;
    items.push({
      id: `FILES_DAMAGED:${code}`,
      reason: 'FILES_DAMAGED',
      sentence: `${count} ${count === 1 ? 'file is' : 'files are'} damaged or missing: ${detail}. ${ADVICE[code]}`,
      sinceTs: Math.min(...group.map(({ foundTs }) => foundTs)),
      evidence: { count, detail, code },
      evidenceKey: group
        .map(({ directory = '', file }) => `${directory}/${file}`)
        .sort()
        .join(' '),
      action: { kind: code === 'ROWS' ? 'CHECK_DISK' : 'CHECK_BACKUP', target },
    });
  }
  const nowTs = deps.clock();
  const repaired = findings.filter(
    ({ state, healedTs }) => state === 'HEALED' && isRecent(healedTs ?? 0, RECENT_MS, nowTs),
  );
  const bySource = Map.groupBy(repaired, ({ from }) =>
    from?.kind === 'BACKUP' ? `BACKUP ${from.createdTs ?? ''}` : 'COPY',
  );
  for (const [source, group] of bySource) {
    const [first] = group;
    const count = group.length;
    const detail = await namesOf(deps, group);
    const madeTs = first?.from?.kind === 'BACKUP' ? first.from.createdTs : undefined;
    const words =
      madeTs === undefined ? 'a second copy' : `the backup of ${new Date(madeTs).toISOString().slice(0, 10)}`;
    const sinceTs = Math.max(...group.map(({ healedTs, foundTs }) => healedTs ?? foundTs));
    items.push({
      id: `FILES_REPAIRED:${source}`,
      reason: 'FILES_REPAIRED',
      sentence: `${count} ${count === 1 ? 'file was damaged and was' : 'files were damaged and were'} repaired from ${words}: ${detail}.`,
      sinceTs,
      evidence: { count, detail, code: madeTs === undefined ? 'COPY' : 'BACKUP', atTs: madeTs ?? sinceTs },
      evidenceKey: `${sinceTs} ${count}`,
      action: { kind: 'CHECK_DISK', target },
    });
  }
  return items;
}

/** The damage that the check of all pages of the database found. */
function databaseItems(deps: ApiDeps): AttentionItem[] {
  const { state, checkedTs, problems = [] } = deps.soundness();
  if (state !== 'damaged') return [];
  const sinceTs = checkedTs ?? deps.clock();
  return [
    {
      id: 'DATABASE_DAMAGED:site',
      reason: 'DATABASE_DAMAGED',
      sentence:
        'The database is damaged, so nothing more is stored. Stop using the site and restore the newest good backup.',
      sinceTs,
      evidence: { count: problems.length, atTs: sinceTs },
      evidenceKey: String(sinceTs),
      action: { kind: 'CHECK_BACKUP', target: { type: 'site', id: deps.siteId } },
    },
  ];
}

/** What keeps the site from storing anything. */
async function diskItems(deps: ApiDeps): Promise<AttentionItem[]> {
  const action = { kind: 'CHECK_DISK', target: { type: 'site', id: deps.siteId } } as const;
  const item = (reason: AttentionItem['reason'], sentence: string, evidence: AttentionItem['evidence']) => ({
    ...{ id: `${reason}:site`, reason, sentence, sinceTs: deps.clock(), evidence, evidenceKey: reason, action },
  });
  const problem = deps.problem();
  if (problem && (problem.code === 'SITE_DISCONNECTED' || problem.code === 'SITE_READ_ONLY'))
    return [item(problem.code, problem.message, { detail: problem.message })];
  const state = await deps.disk.state();
  if (!state || state.level === 'ok') return [];
  const isScarce = state.level === 'scarce';
  const needed = megabytes(isScarce ? state.neededForAllBytes : state.neededBytes);
  const largest = deps.largestToFree();
  const evidence = { detail: needed, code: state.level, ...(largest.length > 0 && { largest }) };
  const sentence = isScarce
    ? `The disk of the site is nearly full. Imports, exports, backups on this disk and messages of phones wait until ${needed} more are free.`
    : state.level === 'low'
      ? `The disk of the site is full. Devices keep their recordings until ${needed} more are free; then receiving continues automatically.`
      : `The disk of the site is full, and what is still entered here uses the last reserve of ${megabytes(state.emergencyBytes)}. Free ${needed} now.`;
  return [item('DISK_FULL', `${sentence}${largestText(largest)}`, evidence)];
}

const FREED_FROM: Record<FreeablePart, string> = {
  backups: 'backups in the site folder',
  exports: 'exports',
  inbox: 'received and waiting files',
  others: 'files outside Outpost',
};

function largestText(largest: readonly { part: FreeablePart; sizeBytes: number }[]): string {
  if (largest.length === 0) return '';
  const parts = largest.map(({ part, sizeBytes }) => `${FREED_FROM[part]} (${megabytes(sizeBytes)})`);
  return ` The largest that can be freed: ${parts.join(', ')}.`;
}

const megabytes = (bytes: number) => (bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`);

/** The last jump of the clock, while it is recent by the clock as it is now. */
async function clockItems(deps: ApiDeps): Promise<AttentionItem[]> {
  const nowTs = deps.clock();
  const steps = await deps.store.settings.get('clock.steps');
  const step = steps.find(({ toTs }) => isRecent(toTs, RECENT_MS, nowTs + CLOCK_SLACK_MS));
  if (!step) return [];
  const { fromTs, toTs } = step;
  const isBack = toTs < fromTs;
  const detail = durationText(toTs - fromTs);
  return [
    {
      id: 'CLOCK:site',
      reason: isBack ? 'CLOCK_SET_BACK' : 'CLOCK_AHEAD',
      sentence: isBack
        ? `The clock of this computer went back by ${detail}. Check its time. If it was ahead before, entries from then keep their wrong times: check the recordings that arrived and the study days that began then.`
        : `The clock of this computer is ${detail} past the last entry of the site. If the site was not off for so long, set the clock right. Nothing is deleted by its age for a day.`,
      sinceTs: toTs,
      evidence: { seconds: Math.round(Math.abs(toTs - fromTs) / 1000), atTs: toTs },
      evidenceKey: `${fromTs} ${toTs}`,
      action: { kind: 'CHECK_CLOCK', target: { type: 'site', id: deps.siteId } },
    },
  ];
}

/** What the last comparison of the audit trail found. */
async function auditItems(deps: ApiDeps): Promise<AttentionItem[]> {
  const compared = await deps.store.settings.get('audit.compared');
  const [first] = compared?.problems ?? [];
  if (!compared || !first) return [];
  return [
    {
      id: 'AUDIT_CONTRADICTED:site',
      reason: 'AUDIT_CONTRADICTED',
      sentence: `The audit trail does not match what was signed of it: ${first.message}`,
      sinceTs: compared.comparedTs,
      evidence: { count: compared.problems.length, detail: first.message, atTs: compared.comparedTs },
      // The same found again is the same item.
      evidenceKey: compared.problems.map(({ message }) => message).join(' '),
      action: { kind: 'CHECK_AUDIT', target: { type: 'site', id: deps.siteId } },
    },
  ];
}

/** For administrators alone. */
export async function siteItems(deps: ApiDeps, accountId: string): Promise<AttentionItem[]> {
  const items = [
    ...databaseItems(deps),
    ...(await diskItems(deps)),
    ...(await backupItems(deps)),
    ...(await auditItems(deps)),
    ...(await scrubItems(deps)),
    ...(await clockItems(deps)),
    ...certificateItems(deps),
  ];
  const mails = await deps.store.outbox.list(accountId, { fromTs: deps.clock() - RECENT_MS, limit: JOB_LIMIT });
  const newestSentTs = Math.max(0, ...mails.map(({ sentTs }) => sentTs ?? 0));
  // Without a mail server nothing is expected to leave.
  const hasServer = (await deps.store.settings.get('mail.server')) !== null;
  const failed = mails.filter(({ state, createdTs }) => hasServer && state === 'failed' && createdTs > newestSentTs);
  const [mail] = failed;
  if (mail) {
    items.push({
      id: 'MAIL_FAILING:site',
      reason: 'MAIL_FAILING',
      sentence: `E-mails cannot be sent${mail.diagnostic === undefined ? '.' : `: ${mail.diagnostic.message}`}`,
      sinceTs: failed.at(-1)?.createdTs ?? mail.createdTs,
      evidence: { count: failed.length, ...(mail.diagnostic !== undefined && { detail: mail.diagnostic.message }) },
      evidenceKey: mail.id,
      action: { kind: 'CHECK_MAIL', target: { type: 'site', id: deps.siteId } },
    });
  }
  for (const hook of await deps.store.webhooks.list(accountId)) {
    const isStopped = !hook.isEnabled && hook.disabledReason !== undefined;
    if (!isStopped && (!hook.isEnabled || hook.failingSinceTs === undefined)) continue;
    const sinceTs = hook.failingSinceTs ?? hook.modifiedTs;
    items.push({
      id: `WEBHOOK_FAILING:${hook.id}`,
      reason: 'WEBHOOK_FAILING',
      sentence: isStopped
        ? `The webhook ${hook.displayName} was switched off: ${hook.disabledReason}`
        : `The webhook ${hook.displayName} cannot be reached.`,
      sinceTs,
      evidence: { detail: hook.displayName, atTs: sinceTs },
      evidenceKey: `${sinceTs} ${isStopped}`,
      action: { kind: 'CHECK_WEBHOOK', target: { type: 'webhook', id: hook.id } },
    });
  }
  return items;
}
