/** What the items of the menu bar do in this program. The menu is built again when a setting or the commands of the desk change. */
import { dialog } from 'electron';
import type { Desktop } from './desktop.ts';
import { setStartsAtLogin, startsAtLogin } from './login-start.ts';
import { installMenu } from './menu.ts';
import type { SettingsFile } from './settings.ts';
import { menuWords } from './shell-words.ts';

export const showMenuOf = (desktop: Desktop, settings: SettingsFile): void => {
  const showMenu = () =>
    installMenu(desktop.language, {
      showSites: () => void desktop.showSites(),
      showSiteFolder: () => desktop.showSiteFolder(),
      showUpdates: () => void desktop.showUpdates(),
      offeredUpdate: () => desktop.updates.offered,
      copyLink: () => desktop.copyLink(),
      savePdf: () =>
        void desktop.downloads
          .savePage()
          .catch((thrown: unknown) => dialog.showErrorBox(menuWords[desktop.language].savePdf, String(thrown))),
      commands: desktop.commands,
      zoom: (step) => desktop.zoom(step),
      keepsReceiving: () => settings.current.whenClosed === 'keep-receiving',
      setKeepsReceiving: (keeps) => void settings.change({ whenClosed: keeps ? 'keep-receiving' : 'quit' }),
      staysAwake: () => settings.current.staysAwake === true,
      setStaysAwake: (staysAwake) => void settings.change({ staysAwake }),
      notifies: () => settings.current.notifies !== false,
      setNotifies: (notifies) => void settings.change({ notifies }),
      namesInNotices: () => settings.current.namesInNotices === true,
      setNamesInNotices: (namesInNotices) => void settings.change({ namesInNotices }),
      startsAtLogin,
      setStartsAtLogin: (starts) =>
        setStartsAtLogin(starts)
          .catch((thrown: unknown) => dialog.showErrorBox(menuWords[desktop.language].loginFailed, String(thrown)))
          .finally(showMenu),
    });
  settings.onChange = (changed) => {
    if (['whenClosed', 'staysAwake', 'notifies'].some((name) => name in changed)) showMenu();
  };
  desktop.commands.onChange = showMenu;
  desktop.updates.onChange = showMenu;
  showMenu();
};
