/** The commands that work on every screen: palette, search, list of keys, sections, theme and sign-out. */
import { useNavigate } from '@tanstack/react-router';
import { signOut } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { setPreference } from '../../shared/preferences.ts';
import { useCommands } from '../commands/commands.ts';
import { SECTIONS } from './rail.tsx';

/** @param content returns the scrolling content of the frame, whose search field the search command focuses */
export function useFrameCommands(content: () => HTMLElement | null, onOpen: (what: 'palette' | 'help') => void): void {
  const { t } = useWords();
  const navigate = useNavigate();
  useCommands([
    {
      id: 'palette',
      label: t('commands.palette'),
      keys: ['Mod+K'],
      scope: 'everywhere',
      run: () => onOpen('palette'),
    },
    {
      id: 'search',
      label: t('commands.search'),
      keys: ['/'],
      scope: 'everywhere',
      run: () => {
        const field = content()?.querySelector<HTMLInputElement>('input[type="search"]');
        if (field) field.focus();
        else onOpen('palette');
      },
    },
    { id: 'help', label: t('commands.help'), keys: ['?'], scope: 'everywhere', run: () => onOpen('help') },
    ...SECTIONS.map((section, index) => ({
      id: `go${section.to}`,
      label: t(section.command),
      keys: [`Alt+${index + 1}`],
      scope: 'everywhere' as const,
      run: () => void navigate({ to: section.to }),
    })),
    {
      id: 'theme.light',
      label: t('commands.themeLight'),
      scope: 'everywhere',
      run: () => setPreference('theme', 'light'),
    },
    {
      id: 'theme.dark',
      label: t('commands.themeDark'),
      scope: 'everywhere',
      run: () => setPreference('theme', 'dark'),
    },
    { id: 'signOut', label: t('commands.signOut'), scope: 'everywhere', run: signOut },
  ]);
}
