/** Keyboard and palette commands of a day's page. */
import { useWords } from '../../shared/i18n/i18n.ts';
import { useCommands } from '../commands/commands.ts';
import type { DayNavigation } from './use-day-navigation.ts';
import type { SignalsAtCursor } from './use-open-signals.ts';

export function useDayCommands(
  { step, goTo, show, shownView, lastDate, print }: DayNavigation,
  signals: SignalsAtCursor,
): void {
  const { t } = useWords();
  useCommands([
    { id: 'day.previous', label: t('commands.previousDay'), keys: [','], scope: 'page', run: () => step(-1) },
    { id: 'day.next', label: t('commands.nextDay'), keys: ['.'], scope: 'page', run: () => step(1) },
    {
      id: 'day.signals',
      label: t('days.signalsHere'),
      scope: 'page',
      isEnabled: signals.hasSignals,
      run: signals.openAtCursor,
    },
    {
      id: 'day.last',
      label: t('commands.lastDay'),
      scope: 'page',
      isEnabled: lastDate !== undefined,
      run: () => lastDate && goTo(lastDate),
    },
    {
      id: 'day.table',
      label: t('commands.toggleTable'),
      keys: ['t'],
      scope: 'page',
      run: () => show(shownView === 'timeline' ? 'table' : 'timeline'),
    },
    { id: 'day.week', label: t('commands.toggleWeek'), keys: ['w'], scope: 'page', run: () => show('week') },
    { id: 'day.print', label: t('days.print'), keys: ['p'], scope: 'page', run: print },
  ]);
}
