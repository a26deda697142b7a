import { Menu, type MenuItemConstructorOptions } from 'electron';
import type { PageLanguage } from './pages/words.ts';
import { menuWords } from './shell-words.ts';

export interface MenuActions {
  chooseFolder(): void;
  showSiteFolder(): void;
  /** Whether closing the window keeps the program receiving. */
  keepsReceiving(): boolean;
  setKeepsReceiving(keeps: boolean): void;
}

/** Installs the menu bar. Standard items are labelled by the system through their roles. */
export const installMenu = (language: PageLanguage, actions: MenuActions): void => {
  const words = menuWords[language];
  const template: MenuItemConstructorOptions[] = [
    ...(process.platform === 'darwin' ? [{ role: 'appMenu' } as const] : []),
    {
      label: words.file,
      submenu: [
        { label: words.openSite, accelerator: 'CmdOrCtrl+O', click: actions.chooseFolder },
        { label: words.showFolder, click: actions.showSiteFolder },
        { type: 'separator' },
        {
          label: words.keepReceiving,
          type: 'checkbox',
          checked: actions.keepsReceiving(),
          click: ({ checked }) => actions.setKeepsReceiving(checked),
        },
        { type: 'separator' },
        { role: process.platform === 'darwin' ? 'close' : 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: words.view,
      submenu: [
        { role: 'reload' },
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
};
