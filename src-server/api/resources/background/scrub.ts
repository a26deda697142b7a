/** The reading of everything that is stored: its state, and starting it. */
import type { backupRoutes } from '../../contract/resources/backups.ts';
import type { ApiDeps, ScrubReport } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import type { Handlers } from '../../framework/mount.ts';

const LISTED_FINDINGS = 100;

export function scrubHandlers(deps: ApiDeps): Pick<Handlers<typeof backupRoutes>, 'getScrub' | 'startScrub'> {
  return {
    getScrub: async () => {
      const { isReading, current, last, findings } = deps.scrub();
      const { everyDays } = await deps.store.settings.get('scrub.schedule');
      return {
        isReading,
        everyDays,
        ...(current && { current: { ...cycleOf(current), part: current.cursor.part } }),
        ...(last && { last: { ...cycleOf(last), finishedTs: last.finishedTs } }),
        findings: findings.slice(0, LISTED_FINDINGS).map(toFinding),
        countOpen: findings.filter(({ state }) => state !== 'HEALED').length,
      };
    },
    startScrub: async ({ caller }) => {
      await deps.store.audit.note(changeBy(caller), {
        action: 'scrub.start',
        entityType: 'site',
        entityId: deps.siteId,
        changes: {},
      });
      deps.startScrub();
    },
  };
}

type Cycle = Omit<NonNullable<ScrubReport['last']>, 'finishedTs'>;

const cycleOf = ({ startedTs, files, bytes, found, healed, unreached }: Cycle) => ({
  ...{ startedTs, files, bytes, found, healed, unreached },
});

function toFinding({
  sizeBytes: _size,
  sha256: _hash,
  recordingId: _id,
  from,
  ...finding
}: ScrubReport['findings'][number]) {
  const { backupId: _backup, ...shown } = from ?? { kind: 'OTHER' as const };
  return { ...finding, ...(from && { from: shown }) };
}
