import { Fragment } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Kbd } from '../../shared/kit/controls.tsx';
import { Dialog } from '../../shared/kit/dialog.tsx';
import { type Command, useCommandList } from '../commands/commands.ts';
import { keyNames } from '../commands/keys.ts';
import styles from './frame.module.css';

function Keys({ keys }: { keys: readonly string[] }) {
  const { t } = useWords();
  return (
    <dd>
      {keys.map((one, index) => (
        <Fragment key={one}>
          {index > 0 && t('keys.or')}
          {keyNames(one).map((name) => (
            <Kbd key={name}>{name}</Kbd>
          ))}
        </Fragment>
      ))}
    </dd>
  );
}

export default function KeyHelp({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const commands = useCommandList().filter((command) => command.keys && command.isEnabled !== false);
  const group = (title: string, members: Pick<Command, 'id' | 'label' | 'keys'>[]) =>
    members.length > 0 && (
      <>
        <h3>{title}</h3>
        <dl>
          {members.map((command) => (
            <div key={command.id}>
              <dt>{command.label}</dt>
              <Keys keys={command.keys ?? []} />
            </div>
          ))}
        </dl>
      </>
    );
  const hasTimeline = commands.some((command) => command.id === 'day.previous');
  return (
    <Dialog label={t('keys.title')} isOpen onOpenChange={(open) => !open && onClose()}>
      <div className={styles.help}>
        <h2>{t('keys.title')}</h2>
        <p>{t('keys.intro')}</p>
        {group(
          t('keys.page'),
          commands.filter((command) => command.scope === 'page'),
        )}
        {hasTimeline &&
          group(t('keys.timeline'), [
            { id: 'step', label: t('keys.timelineStep'), keys: ['ArrowLeft', 'ArrowRight'] },
            { id: 'hour', label: t('keys.timelineHour'), keys: ['Shift+ArrowLeft', 'Shift+ArrowRight'] },
            { id: 'ends', label: t('keys.timelineEnds'), keys: ['Home', 'End'] },
            { id: 'day', label: t('keys.timelineDay'), keys: ['PageUp', 'PageDown'] },
            { id: 'zoom', label: t('keys.timelineZoom'), keys: ['+', '-'] },
            { id: 'reset', label: t('keys.timelineReset'), keys: ['0'] },
          ])}
        {group(
          t('keys.everywhere'),
          commands.filter((command) => command.scope === 'everywhere'),
        )}
        <div className={styles.helpEnd}>
          <Button onPress={onClose}>{t('keys.close')}</Button>
        </div>
      </div>
    </Dialog>
  );
}
