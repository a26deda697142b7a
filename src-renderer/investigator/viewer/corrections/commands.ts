/** The keys of correcting. Each does one thing at once; none asks. */
import type { Beat } from '../../../../src-server/api/contract/index.ts';
import type { BeatCode } from '../../../../src-server/vocabulary/corrections.ts';
import { type Translate, useWords } from '../../../shared/i18n/i18n.ts';
import { useSelected, useStore } from '../../../shared/store.ts';
import { type Command, useCommands } from '../../commands/commands.ts';
import type { Editing } from './editing.ts';

/** Types with a key of their own. */
export const CODE_KEYS = { N: 'n', S: 's', V: 'v', F: 'f', Q: 'q', '|': 'u' } as const satisfies Partial<
  Record<BeatCode, string>
>;

/** A beat that a person has not looked at and that counts for less than a normal one. */
const isDoubtful = ({ use, correction }: Beat): boolean => use !== 'USED' && correction === undefined;

type EditingCommand = Omit<Command, 'scope' | 'isEnabled'> & { isEnabled?: boolean };

export function correctionCommands(editing: Editing, t: Translate): EditingCommand[] {
  return [
    { id: 'correct.next', label: t('correct.next'), keys: ['k'], run: () => editing.step(1) },
    { id: 'correct.previous', label: t('correct.previous'), keys: ['j'], run: () => editing.step(-1) },
    {
      id: 'correct.nextDoubtful',
      label: t('correct.nextDoubtful'),
      keys: ['d'],
      run: () => editing.step(1, isDoubtful),
    },
    {
      id: 'correct.previousDoubtful',
      label: t('correct.previousDoubtful'),
      keys: ['w'],
      run: () => editing.step(-1, isDoubtful),
    },
    { id: 'correct.add', label: t('correct.add'), keys: ['a'], run: () => editing.add() },
    { id: 'correct.delete', label: t('correct.delete'), keys: ['x', 'Delete'], run: () => editing.remove() },
    { id: 'correct.moveBack', label: t('correct.moveBack'), keys: [','], run: () => editing.move(-1) },
    { id: 'correct.moveOn', label: t('correct.moveOn'), keys: ['.'], run: () => editing.move(1) },
    ...Object.entries(CODE_KEYS).map(([code, key]) => ({
      id: `correct.label.${code}`,
      label: t('correct.labelAs', { code, name: t(`correct.codes.${code as keyof typeof CODE_KEYS}`) }),
      keys: [key],
      run: () => editing.label(code as BeatCode),
    })),
    { id: 'correct.exclude', label: t('correct.exclude'), keys: ['e'], run: () => editing.span('EXCLUDE') },
  ];
}

/** Registers the keys while beats are corrected. */
export function useCorrectionCommands(editing: Editing): void {
  const { t } = useWords();
  const hasReason = useSelected(editing.reason, (reason) => reason !== null);
  const isOn = useSelected(editing.model.state, ({ mode }) => mode === 'correct') && hasReason;
  const counts = useStore(editing.counts);
  const commands: EditingCommand[] = [
    ...correctionCommands(editing, t),
    {
      id: 'correct.undo',
      label: t('correct.undo'),
      keys: ['Mod+Z'],
      isEnabled: counts.undo > 0,
      run: () => editing.undo(),
    },
    {
      id: 'correct.redo',
      label: t('correct.redo'),
      keys: ['Mod+Shift+Z'],
      isEnabled: counts.redo > 0,
      run: () => editing.redo(),
    },
  ];
  // Registered only then, so that their keys are free otherwise.
  useCommands(isOn ? commands.map((command) => ({ ...command, scope: 'page' })) : []);
}
