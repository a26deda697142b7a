import { type ReactNode, useState } from 'react';
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
import { useFound } from './found-targets.ts';
import styles from './frame.module.css';
import { type Target, type TargetSection, useTargets } from './palette-targets.ts';

const NONE: TargetSection[] = [];

/** A text in which what was searched for stands out. */
function Marked({ text, matches = [] }: { text: string; matches?: Target['matches'] }) {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const [from, to] of matches) {
    parts.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>);
    at = to;
  }
  parts.push(text.slice(at));
  return parts;
}

export default function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const [text, setText] = useState('');
  const known = useTargets(text);
  const found = useFound(text);
  // Found later, so below what is there already: nothing moves under the reader's eyes.
  const sections = known ? [...known, ...found.sections] : NONE;
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
              <div className={styles.none}>
                {!known
                  ? t('app.loading')
                  : found.state === 'searching'
                    ? t('palette.searching')
                    : found.state === 'failed'
                      ? t('palette.failed')
                      : t('palette.empty', { text })}
              </div>
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
                      <span className={styles.itemLabel}>
                        <Marked text={target.label} matches={target.matches} />
                      </span>
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
        <div role="status" className={styles.searchState}>
          {found.state === 'searching' && sections.length > 0 && <p>{t('palette.searching')}</p>}
          {found.state === 'failed' && sections.length > 0 && <p>{t('palette.failed')}</p>}
          {found.hasMore && found.state === 'done' && <p>{t('palette.more')}</p>}
          {found.isIndexing && <p>{t('palette.indexing')}</p>}
        </div>
        <p className={styles.hint}>{t('palette.hint')}</p>
      </div>
    </Dialog>
  );
}
