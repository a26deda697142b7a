/** The menu bar and the context menu, in the language of the program. */
import { type BrowserWindow, Menu, type MenuItemConstructorOptions } from 'electron';
import type { DeskCommands } from './desk-commands.ts';
import type { PageLanguage } from './pages/words.ts';
import { menuWords, roleWords } from './shell-words.ts';
import type { ZoomStep } from './window-keeper.ts';

export interface MenuActions {
  showSites(): void;
  showSiteFolder(): void;
  showUpdates(): void;
  /** The version that could be installed. */
  offeredUpdate(): string | undefined;
  /** Saves the page of the desk that is shown as a PDF. */
  savePdf(): void;
  /** Copies a link to the page of the desk that is shown. */
  copyLink(): void;
  /** The commands of the desk, which have a menu of their own. */
  commands: DeskCommands;
  zoom(step: ZoomStep): void;
  /** Whether closing the window keeps the program receiving. */
  keepsReceiving(): boolean;
  setKeepsReceiving(keeps: boolean): void;
  /** Whether the computer stays awake while devices could deliver. */
  staysAwake(): boolean;
  setStaysAwake(stays: boolean): void;
  notifies(): boolean;
  setNotifies(notifies: boolean): void;
  /** Whether notifications name subjects. */
  namesInNotices(): boolean;
  setNamesInNotices(names: boolean): void;
  startsAtLogin(): boolean;
  setStartsAtLogin(starts: boolean): void;
}

type Role = keyof (typeof roleWords)['en'];

const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' };

/** Standard items by their roles; a dash is a separator. */
const roles = (language: PageLanguage, ...wanted: (Role | '-')[]): MenuItemConstructorOptions[] =>
  wanted.map((role) => (role === '-' ? SEPARATOR : { role, label: roleWords[language][role] }));

/** Not the roles of Electron, which tell nobody that the zoom changed. Keyboards type the plus with and without Shift. */
const zoomItems = (words: (typeof menuWords)[PageLanguage], { zoom }: MenuActions): MenuItemConstructorOptions[] => [
  { label: words.actualSize, accelerator: 'CmdOrCtrl+0', click: () => zoom('reset') },
  { label: words.zoomIn, accelerator: 'CmdOrCtrl+Plus', click: () => zoom('in') },
  { label: words.zoomIn, accelerator: 'CmdOrCtrl+=', visible: false, click: () => zoom('in') },
  { label: words.zoomIn, accelerator: 'CmdOrCtrl+numadd', visible: false, click: () => zoom('in') },
  { label: words.zoomOut, accelerator: 'CmdOrCtrl+-', click: () => zoom('out') },
  { label: words.zoomOut, accelerator: 'CmdOrCtrl+numsub', visible: false, click: () => zoom('out') },
];

const updateLabel = (words: (typeof menuWords)[PageLanguage], offered: string | undefined): string =>
  offered === undefined ? words.updates : `${words.updateTo} ${offered}…`;

/** Installs the menu bar. */
export const installMenu = (language: PageLanguage, actions: MenuActions): void => {
  const words = menuWords[language];
  const isMac = process.platform === 'darwin';
  const commands = actions.commands.items('all');
  const template: MenuItemConstructorOptions[] = [
    ...(isMac
      ? [
          {
            label: 'Outpost',
            submenu: roles(language, 'about', '-', 'services', '-', 'hide', 'hideOthers', 'unhide', '-', 'quit'),
          },
        ]
      : []),
    {
      label: words.file,
      submenu: [
        { label: words.openSite, accelerator: 'CmdOrCtrl+O', click: actions.showSites },
        { label: words.showFolder, click: actions.showSiteFolder },
        { label: words.copyLink, click: actions.copyLink },
        { label: words.savePdf, click: actions.savePdf },
        SEPARATOR,
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
          label: words.notify,
          type: 'checkbox',
          checked: actions.notifies(),
          click: ({ checked }) => actions.setNotifies(checked),
        },
        {
          label: words.nameInNotices,
          type: 'checkbox',
          checked: actions.namesInNotices(),
          enabled: actions.notifies(),
          click: ({ checked }) => actions.setNamesInNotices(checked),
        },
        {
          label: words.startAtLogin,
          type: 'checkbox',
          checked: actions.startsAtLogin(),
          click: ({ checked }) => actions.setStartsAtLogin(checked),
        },
        { label: updateLabel(words, actions.offeredUpdate()), click: actions.showUpdates },
        SEPARATOR,
        ...roles(language, isMac ? 'close' : 'quit'),
      ],
    },
    {
      label: words.edit,
      submenu: roles(
        language,
        ...(['undo', 'redo', '-', 'cut', 'copy', 'paste', 'pasteAndMatchStyle', 'delete', '-', 'selectAll'] as const),
      ),
    },
    {
      label: words.view,
      submenu: [
        ...roles(language, 'reload', '-'),
        ...zoomItems(words, actions),
        ...roles(language, '-', 'togglefullscreen'),
      ],
    },
    ...(commands.length > 0 ? [{ label: words.actions, submenu: commands }] : []),
    {
      label: words.window,
      role: 'window',
      submenu: isMac ? roles(language, 'minimize', 'zoom', '-', 'front') : roles(language, 'minimize', 'close'),
    },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
};

/**
 * Shows the usual items where text is edited or selected, and elsewhere the commands of the screen. Without it a right click does
 * nothing in Electron, and a mouse could neither copy nor paste. A page that shows a menu of its own prevents this one.
 */
export const installContextMenu = (
  window: BrowserWindow,
  language: () => PageLanguage,
  commands: DeskCommands,
): void => {
  window.webContents.on('context-menu', (_event, { isEditable, selectionText, editFlags }) => {
    if (!isEditable && selectionText.trim() === '') {
      const ofPage = commands.items('page');
      if (ofPage.length > 0) Menu.buildFromTemplate(ofPage).popup({ window });
      return;
    }
    const [undo, redo, cut, copy, paste, selectAll] = roles(
      language(),
      ...(['undo', 'redo', 'cut', 'copy', 'paste', 'selectAll'] as const),
    );
    const edited: [MenuItemConstructorOptions | undefined, boolean][] = [
      [undo, editFlags.canUndo],
      [redo, editFlags.canRedo],
      [SEPARATOR, true],
      [cut, editFlags.canCut],
      [copy, editFlags.canCopy],
      [paste, editFlags.canPaste],
      [SEPARATOR, true],
      [selectAll, editFlags.canSelectAll],
    ];
    const items = isEditable ? edited.map(([item, enabled]) => ({ ...item, enabled })) : [{ ...copy }];
    Menu.buildFromTemplate(items).popup({ window });
  });
};
