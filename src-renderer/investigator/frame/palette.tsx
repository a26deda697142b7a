import { useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
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
import { useMay } from '../../shared/api/permissions.ts';
import { studiesQuery, subjectsQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { fold } from '../../shared/i18n/format.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import kit from '../../shared/kit/controls.module.css';
import { Kbd } from '../../shared/kit/controls.tsx';
import { Dialog } from '../../shared/kit/dialog.tsx';
import { Icon, type IconName } from '../../shared/kit/icon.tsx';
import { useCommandList } from '../commands/commands.ts';
import { keyNames } from '../commands/keys.ts';
import { SITE_TABS } from '../site/site-page.tsx';
import styles from './frame.module.css';

interface Target {
  id: string;
  label: string;
  detail?: string;
  keys?: readonly string[];
  icon: IconName;
  run: () => void;
}

/** Pages inside the sections. */
const PAGES = [
  ...SITE_TABS.map((tab) => ({ ...tab, section: 'nav.site' as const })),
  { to: '/equipment/devices', label: 'equipment.devices', section: 'nav.equipment', isOpen: true },
  { to: '/equipment/uploads', label: 'equipment.uploads', section: 'nav.equipment', isOpen: true },
  { to: '/account', label: 'account.yours', section: 'account.menu', isOpen: true },
] as const;

const SHOWN = 8;

/** Every word of the text is somewhere in the label or its detail. */
function isWanted(target: Target, words: string[]): boolean {
  const hay = fold(`${target.label} ${target.detail ?? ''}`);
  return words.every((word) => hay.includes(word));
}

export default function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const { user } = useSession();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const studies = useQuery(studiesQuery(user.accountId)).data ?? [];
  const subjects = useQueries({ queries: studies.map((study) => subjectsQuery(study.id)) });
  const commands = useCommandList().filter((command) => command.isEnabled !== false && command.id !== 'palette');

  const isAdministrator = useMay()('site.manage');
  // Those of the sections are actions with keys of their own; on an unwritten search they would only make the list long.
  const pages = text.trim() === '' ? [] : PAGES.filter((page) => page.isOpen || isAdministrator);

  const words = fold(text).split(/\s+/).filter(Boolean);
  const sections: { title: string; targets: Target[] }[] = [
    {
      title: t('palette.subjects'),
      targets: studies.flatMap((study, index) =>
        (subjects[index].data?.items ?? [])
          .filter((subject) => !subject.isHidden)
          .map((subject) => ({
            id: subject.id,
            label: subject.displayName,
            detail: study.displayName,
            icon: 'subjects' as const,
            run: () =>
              void navigate({
                to: '/studies/$studyId/subjects/$subjectId/days',
                params: { studyId: study.id, subjectId: subject.id },
              }),
          })),
      ),
    },
    {
      title: t('palette.studies'),
      targets: studies.map((study) => ({
        id: study.id,
        label: study.displayName,
        detail: study.title,
        icon: 'studies' as const,
        run: () => void navigate({ to: '/studies/$studyId', params: { studyId: study.id } }),
      })),
    },
    {
      title: t('palette.pages'),
      targets: pages.map(({ to, label, section }) => ({
        id: to,
        label: t(label),
        detail: t(section),
        icon: 'page' as const,
        run: () => void navigate({ to }),
      })),
    },
    {
      title: t('palette.actions'),
      targets: commands.map((command) => ({
        id: command.id,
        label: command.label,
        keys: command.keys,
        icon: 'right' as const,
        run: command.run,
      })),
    },
  ]
    .map((section) => ({
      ...section,
      targets: section.targets.filter((target) => isWanted(target, words)).slice(0, SHOWN),
    }))
    .filter((section) => section.targets.length > 0);
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
            renderEmptyState={() => <div className={styles.none}>{t('palette.empty', { text })}</div>}
            onAction={(key) => {
              const chosen = all.find((target) => target.id === key);
              onClose();
              // Closing gives the focus back a frame later: a dialog that opens before would lose it to the page behind.
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
