import { useState } from 'react';
import {
  Autocomplete,
  Collection,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  SearchField,
} from 'react-aria-components';
import { useWords } from '../../shared/i18n/i18n.ts';
import kit from '../../shared/kit/controls.module.css';
import { Kbd } from '../../shared/kit/controls.tsx';
import { Dialog } from '../../shared/kit/dialog.tsx';
import { Icon } from '../../shared/kit/icon.tsx';
import { keyNames } from '../commands/keys.ts';
import styles from './frame.module.css';
import { type TargetSection, useTargets } from './palette-targets.ts';

const NONE: TargetSection[] = [];

export default function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const [text, setText] = useState('');
  const known = useTargets(text);
  const sections = known ?? NONE;
  const all = sections.flatMap((section) => section.targets);

  return (
    <Dialog label={t('palette.title')} isOpen onOpenChange={(open) => !open && onClose()}>
      <div className={styles.palette}>
        <Autocomplete inputValue={text} onInputChange={setText}>
          <SearchField aria-label={t('palette.title')} autoFocus className={styles.palette}>
            <Input placeholder={t('palette.placeholder')} />
          </SearchField>
          <Menu
            className={styles.list}
            aria-label={t('palette.title')}
            items={sections}
            renderEmptyState={() => (
              <div className={styles.none}>{known ? t('palette.empty', { text }) : t('app.loading')}</div>
            )}
            onAction={(key) => {
              const chosen = all.find((target) => target.id === key);
              onClose();
              // The palette restores the focus one frame after it closes; a dialog opened earlier would lose it to the page.
              requestAnimationFrame(() => requestAnimationFrame(() => chosen?.run()));
            }}
          >
            {(section) => (
              <MenuSection id={section.title}>
                <Header className={kit.menuHeader}>{section.title}</Header>
                <Collection items={section.targets}>
                  {(target) => (
                    <MenuItem id={target.id} textValue={target.label} className={kit.menuItem}>
                      <Icon name={target.icon} size={16} />
                      {target.label}
                      <span className={styles.itemDetail}>
                        {target.keys?.[0]
                          ? keyNames(target.keys[0]).map((name) => <Kbd key={name}>{name}</Kbd>)
                          : target.detail}
                      </span>
                    </MenuItem>
                  )}
                </Collection>
              </MenuSection>
            )}
          </Menu>
        </Autocomplete>
        <p className={styles.hint}>{t('palette.hint')}</p>
      </div>
    </Dialog>
  );
}
