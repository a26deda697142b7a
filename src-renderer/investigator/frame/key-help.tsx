import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { Dialog } from '../../shared/kit/dialog.tsx';
import { forgetKeys, useChosenKeys } from '../commands/chosen-keys.ts';
import { type Command, useCommandList } from '../commands/commands.ts';
import styles from './frame.module.css';
import { KeyRow, Keys } from './key-row.tsx';

export default function KeyHelp({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const all = useCommandList();
  const hasChosen = Object.keys(useChosenKeys()).length > 0;
  // List global commands only if they have a key; the palette shows the rest.
  const commands = all.filter(({ keys, scope, isEnabled }) => isEnabled !== false && (keys || scope === 'page'));
  const group = (title: string, scope: Command['scope']) => {
    const members = commands
      .filter((command) => command.scope === scope)
      .sort((a, b) => Number(b.keys !== undefined) - Number(a.keys !== undefined));
    return (
      members.length > 0 && (
        <>
          <h3>{title}</h3>
          <dl>
            {members.map((command) => (
              <KeyRow key={command.id} command={command} all={all} />
            ))}
          </dl>
        </>
      )
    );
  };
  /** Keys of the focused table or chart: not commands, so they cannot be changed. */
  const fixed = (title: string, rows: readonly { id: string; label: string; keys: readonly string[] }[]) => (
    <>
      <h3>{title}</h3>
      <dl>
        {rows.map(({ id, label, keys }) => (
          <div key={id}>
            <dt>{label}</dt>
            <dd>
              <Keys keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
  const hasStrip = commands.some((command) => command.id === 'viewer.goTo');
  const hasRows = commands.some((command) => command.id === 'bulk.all');
  const hasTimeline = commands.some((command) => command.id === 'day.previous');
  return (
    <Dialog label={t('keys.title')} isOpen onOpenChange={(open) => !open && onClose()}>
      <div className={styles.help}>
        <h2>{t('keys.title')}</h2>
        <p>{t('keys.intro')}</p>
        {group(t('keys.page'), 'page')}
        {hasRows &&
          fixed(t('keys.rows'), [
            { id: 'select', label: t('keys.rowsSelect'), keys: ['X', 'Space'] },
            { id: 'range', label: t('keys.rowsRange'), keys: ['Shift+ArrowUp', 'Shift+ArrowDown'] },
            { id: 'clear', label: t('keys.rowsClear'), keys: ['Escape'] },
          ])}
        {hasStrip &&
          fixed(t('keys.strip'), [
            { id: 'step', label: t('keys.stripStep'), keys: ['ArrowLeft', 'ArrowRight'] },
            { id: 'window', label: t('keys.stripWindow'), keys: ['Shift+ArrowLeft', 'Shift+ArrowRight'] },
            { id: 'label', label: t('keys.stripLabel'), keys: ['Mod+ArrowLeft', 'Mod+ArrowRight'] },
            { id: 'ends', label: t('keys.stripEnds'), keys: ['Home', 'End'] },
            { id: 'gain', label: t('keys.stripGain'), keys: ['ArrowUp', 'ArrowDown'] },
          ])}
        {hasTimeline &&
          fixed(t('keys.timeline'), [
            { id: 'step', label: t('keys.timelineStep'), keys: ['ArrowLeft', 'ArrowRight'] },
            { id: 'hour', label: t('keys.timelineHour'), keys: ['Shift+ArrowLeft', 'Shift+ArrowRight'] },
            { id: 'ends', label: t('keys.timelineEnds'), keys: ['Home', 'End'] },
            { id: 'day', label: t('keys.timelineDay'), keys: ['PageUp', 'PageDown'] },
            { id: 'zoom', label: t('keys.timelineZoom'), keys: ['+', '-'] },
            { id: 'reset', label: t('keys.timelineReset'), keys: ['0'] },
          ])}
        {group(t('keys.everywhere'), 'everywhere')}
        <div className={styles.helpEnd}>
          {hasChosen && <Button onPress={() => forgetKeys()}>{t('keys.resetAll')}</Button>}
          <Button onPress={onClose}>{t('keys.close')}</Button>
        </div>
      </div>
    </Dialog>
  );
}
