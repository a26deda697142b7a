import { verifySite } from '../integrity/verify.ts';
import { answer, EXIT_PROBLEMS_FOUND, say, startProgress } from './output.ts';

export async function verify(options: { data: string; deep: boolean; json: boolean }): Promise<number> {
  const progress = await startProgress('Verifying');
  const report = await verifySite(options.data, {
    isDeep: options.deep,
    onProgress: ({ done, total, step }) => progress.update(done, total, step),
  }).finally(() => progress.stop());
  if (options.json) answer(report);
  else {
    for (const problem of report.problems) answer(`${problem.step}: ${problem.message}`);
    const { recordings, auditRows } = report.checked;
    answer(
      report.problems.length === 0
        ? `No problems: ${recordings} recordings, ${auditRows} audit rows and the database are intact.`
        : `${report.problems.length} ${report.problems.length === 1 ? 'problem' : 'problems'} found.`,
    );
  }
  const { anchoredSince, continuedSince, countBackups, countExports } = report.anchors ?? {};
  if (anchoredSince && !options.json) {
    const time = (timeTs: number) => new Date(timeTs).toISOString();
    say(
      `The audit trail is signed since ${time(anchoredSince.timeTs)} and was compared with ${countBackups} backups and ${countExports} exports.`,
    );
    if (continuedSince) {
      const { timeTs, backupId, sequence, isNewKey } = continuedSince;
      say(
        `The site continues since ${time(timeTs)} from the backup ${backupId}, after audit row ${sequence}${isNewKey ? ', with a new key' : ''}.`,
      );
    }
  }
  if (report.problems.some(({ code }) => code?.startsWith('RECORDING_FILE_')))
    say('`outpost return-files` puts lost and damaged files back from backups.');
  return report.problems.length === 0 ? 0 : EXIT_PROBLEMS_FOUND;
}
