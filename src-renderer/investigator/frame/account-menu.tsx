import { useNavigate } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { Collection, Header, Menu, MenuItem, MenuSection, Popover, type Selection } from 'react-aria-components';
import { personName } from '../../../src-server/study/person-name.ts';
import { signOut, useRole, useSession } from '../../shared/api/session.ts';
import { changeLanguage, useWords } from '../../shared/i18n/i18n.ts';
import { LANGUAGES, type Language } from '../../shared/i18n/languages.ts';
import styles from '../../shared/kit/controls.module.css';
import { Icon } from '../../shared/kit/icon.tsx';
import { preferences, setPreference, THEMES, type Theme } from '../../shared/preferences.ts';
import { useStore } from '../../shared/store.ts';

/** Each language in its own script, so that it can be found from an interface in the other one. */
const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', ja: '日本語' };
const THEME_LABELS = { system: 'account.themeSystem', light: 'account.themeLight', dark: 'account.themeDark' } as const;

function Choice<T extends string>({
  title,
  value,
  options,
  onChange,
}: {
  title: string;
  value: T;
  options: { id: T; label: string }[];
  onChange: (value: T) => void;
}) {
  return (
    <MenuSection
      className={styles.menuSection}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys: Selection) => {
        const [key] = keys;
        if (key !== undefined) onChange(key as T);
      }}
    >
      <Header className={styles.menuHeader}>{title}</Header>
      <Collection items={options}>
        {(option) => (
          <MenuItem id={option.id} textValue={option.label} className={styles.menuItem}>
            {({ isSelected }) => (
              <>
                <span className={styles.tick}>{isSelected && <Icon name="check" size={16} />}</span>
                {option.label}
              </>
            )}
          </MenuItem>
        )}
      </Collection>
    </MenuSection>
  );
}

export default function AccountMenu({
  trigger,
  onClose,
  onKeys,
}: {
  trigger: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
  onKeys: () => void;
}) {
  const { t, language } = useWords();
  const { user } = useSession();
  const role = useRole();
  const navigate = useNavigate();
  const { theme, singleKeys } = useStore(preferences);
  return (
    <Popover
      className={styles.popover}
      placement="bottom end"
      triggerRef={trigger}
      isOpen
      onOpenChange={(open) => !open && onClose()}
    >
      <Menu
        className={styles.menu}
        aria-label={t('account.menu')}
        autoFocus="first"
        onClose={onClose}
        onAction={(key) => {
          if (key === 'keys') onKeys();
          if (key === 'manual') void navigate({ to: '/manual' });
          if (key === 'account') void navigate({ to: '/account' });
          if (key === 'signOut') signOut();
        }}
      >
        <Choice<Language>
          title={t('account.language')}
          value={language}
          options={LANGUAGES.map((id) => ({ id, label: LANGUAGE_NAMES[id] }))}
          onChange={(next) => {
            setPreference('language', next);
            void changeLanguage(next);
          }}
        />
        <Choice<Theme>
          title={t('account.theme')}
          value={theme}
          options={THEMES.map((id) => ({ id, label: t(THEME_LABELS[id]) }))}
          onChange={(next) => setPreference('theme', next)}
        />
        <Choice<'on' | 'off'>
          title={t('account.shortcuts')}
          value={singleKeys ? 'on' : 'off'}
          options={[
            { id: 'on', label: t('account.shortcutsOn') },
            { id: 'off', label: t('account.shortcutsOff') },
          ]}
          onChange={(next) => setPreference('singleKeys', next === 'on')}
        />
        <MenuSection className={styles.menuSection}>
          <Header className={styles.menuHeader}>
            {t('account.signedInAs', { name: personName(user) })} · {t(`roles.${role}`)}
          </Header>
          <MenuItem id="account" className={styles.menuItem}>
            <span className={styles.tick}>
              <Icon name="account" size={16} />
            </span>
            {t('account.yours')}
          </MenuItem>
          <MenuItem id="manual" className={styles.menuItem}>
            <span className={styles.tick}>
              <Icon name="page" size={16} />
            </span>
            {t('account.manual')}
          </MenuItem>
          <MenuItem id="keys" className={styles.menuItem}>
            <span className={styles.tick}>
              <Icon name="keyboard" size={16} />
            </span>
            {t('account.keys')}
          </MenuItem>
          <MenuItem id="signOut" className={styles.menuItem}>
            <span className={styles.tick} />
            {t('account.signOut')}
          </MenuItem>
        </MenuSection>
      </Menu>
    </Popover>
  );
}
