import { Menu, type MenuItemConstructorOptions } from 'electron';
import type { PageLanguage } from './pages/words.ts';
import { menuWords } from './shell-words.ts';
import type { ZoomStep } from './window-keeper.ts';

export interface MenuActions {
  showSites(): void;
  showSiteFolder(): void;
  zoom(step: ZoomStep): void;
  /** Whether closing the window keeps the program receiving. */
  keepsReceiving(): boolean;
  setKeepsReceiving(keeps: boolean): void;
  /** Whether the computer stays awake while devices could deliver. */
  staysAwake(): boolean;
  setStaysAwake(stays: boolean): void;
  startsAtLogin(): boolean;
  setStartsAtLogin(starts: boolean): void;
}

/** Not the roles of Electron, which tell nobody that the zoom changed. Keyboards type the plus with and without Shift. */
const zoomItems = (words: (typeof menuWords)[PageLanguage], { zoom }: MenuActions): MenuItemConstructorOptions[] => [
  { label: words.actualSize, accelerator: 'CmdOrCtrl+0', click: () => zoom('reset') },
  { label: words.zoomIn, accelerator: 'CmdOrCtrl+Plus', click: () => zoom('in') },
  { label: words.zoomIn, accelerator: 'CmdOrCtrl+=', visible: false, click: () => zoom('in') },
  { label: words.zoomIn, accelerator: 'CmdOrCtrl+numadd', visible: false, click: () => zoom('in') },
  { label: words.zoomOut, accelerator: 'CmdOrCtrl+-', click: () => zoom('out') },
  { label: words.zoomOut, accelerator: 'CmdOrCtrl+numsub', visible: false, click: () => zoom('out') },
];

/** Installs the menu bar. Standard items are labelled by the system through their roles. */
export const installMenu = (language: PageLanguage, actions: MenuActions): void => {
  const words = menuWords[language];
  const template: MenuItemConstructorOptions[] = [
    ...(process.platform === 'darwin' ? [{ role: 'appMenu' } as const] : []),
    {
      label: words.file,
      submenu: [
        { label: words.openSite, accelerator: 'CmdOrCtrl+O', click: actions.showSites },
        { label: words.showFolder, click: actions.showSiteFolder },
        { type: 'separator' },
        {
          label: words.keepReceiving,
          type: 'checkbox',
          checked: actions.keepsReceiving(),
          click: ({ checked }) => actions.setKeepsReceiving(checked),
        },
        {
          label: words.stayAwake,
          type: 'checkbox',
          checked: actions.staysAwake(),
          click: ({ checked }) => actions.setStaysAwake(checked),
        },
        {
          label: words.startAtLogin,
          type: 'checkbox',
          checked: actions.startsAtLogin(),
          click: ({ checked }) => actions.setStartsAtLogin(checked),
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
        ...zoomItems(words, actions),
        { type: 'separator' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
};
