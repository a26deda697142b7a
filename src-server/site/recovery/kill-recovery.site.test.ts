import { expect, it } from 'vitest';
import { Random } from '../../simulator/physiology/random.ts';
import { backupKillRounds } from '../../testing/kill-backups.ts';

it('loses nothing when an encrypted backup or a recovery is killed', async () => {
  const seed = Date.now() % 1_000_000;
  const generator = new Random(seed);
  const kinds = ['encrypted backup', 'recover'] as const;
  const rounds = await backupKillRounds({ random: () => generator.uniform(), rounds: 2, kinds });
  const found = rounds.filter(({ problems }) => problems.length > 0);
  expect(found, `seed ${seed}`).toEqual([]);
});
