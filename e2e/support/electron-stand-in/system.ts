/** The parts of Electron that belong to the operating system; tests replace their answers through `evaluate`. */

import { EventEmitter } from 'node:events';

export const dialog = {
  async showOpenDialog(_options: object): Promise<{ canceled: boolean; filePaths: string[] }> {
    return { canceled: true, filePaths: [] };
  },
  /** A question that nobody answers: it is closed. */
  async showMessageBox(_window: object, options: { cancelId?: number }): Promise<{ response: number }> {
    return { response: options.cancelId ?? 0 };
  },
  async showSaveDialog(_window: object, _options?: object): Promise<{ canceled: boolean; filePath: string }> {
    return { canceled: true, filePath: '' };
  },
  showErrorBox(title: string, content: string): void {
    process.stderr.write(`${title}: ${content}\n`);
  },
};

/** Everything handed to the system, in order. */
export const shell = {
  opened: [] as string[],
  async openExternal(url: string): Promise<void> {
    shell.opened.push(url);
  },
  showItemInFolder(path: string): void {
    shell.opened.push(path);
  },
  async openPath(path: string): Promise<string> {
    shell.opened.push(path);
    return '';
  },
};

/** Of this program only: no system keeps it. */
let copied = '';
export const clipboard = {
  writeText(text: string): void {
    copied = text;
  },
  readText: (): string => copied,
};

interface MenuItemOptions {
  label?: string;
  role?: string;
  type?: string;
  checked?: boolean;
  enabled?: boolean;
  submenu?: MenuItemOptions[];
  click?: (item: MenuItem) => void;
}

interface MenuItem extends Omit<MenuItemOptions, 'submenu' | 'click'> {
  submenu?: BuiltMenu;
  /** As if a person had chosen it. */
  click(): void;
}

class BuiltMenu {
  readonly items: MenuItem[];

  constructor(items: MenuItem[]) {
    this.items = items;
  }

  /** Nobody sees it. Tests replace it in the prototype, as they can in Electron. */
  popup(_options: object): void {}
}

let applicationMenu: BuiltMenu | null = null;

const build = (template: readonly MenuItemOptions[]): BuiltMenu =>
  new BuiltMenu(
    template.map(({ submenu, click, ...options }) => {
      const item: MenuItem = {
        ...options,
        ...(submenu && { submenu: build(submenu) }),
        click() {
          if (item.enabled === false) return;
          if (item.type === 'checkbox') item.checked = !item.checked;
          click?.(item);
        },
      };
      return item;
    }),
  );

export const Menu = Object.assign(BuiltMenu, {
  buildFromTemplate: build,
  setApplicationMenu(menu: BuiltMenu | null): void {
    applicationMenu = menu;
  },
  getApplicationMenu: () => applicationMenu,
});

type PermissionCheck = (contents: null, permission: string, origin: string, details: object) => boolean;
type PermissionRequest = (
  contents: null,
  permission: string,
  answer: (isGranted: boolean) => void,
  details: { requestingUrl: string; isMainFrame: boolean },
) => void;

/** Electron's names of permissions, and what Chromium calls them. */
const PERMISSIONS: Record<string, string[]> = {
  geolocation: ['geolocation'],
  media: ['camera', 'microphone'],
  midi: ['midi'],
  notifications: ['notifications'],
  'clipboard-read': ['clipboard-read'],
  'clipboard-sanitized-write': ['clipboard-write'],
  'idle-detection': ['idle-detection'],
};

type PairingHandler = (details: object, answer: (response: object) => void) => void;

/** There is no Bluetooth here: only tests ask, through `session.pair`. */
let pairing: PairingHandler | null = null;
let check: PermissionCheck | null = null;
let request: PermissionRequest | null = null;

/** One file that a page wants to save. Its bytes are those that the page has made; an address of a site is never fetched here. */
export class DownloadItem extends EventEmitter {
  readonly #url: string;
  readonly #name: string;
  savePath: string | null = null;

  constructor(url: string, name: string) {
    super();
    this.#url = url;
    this.#name = name;
  }

  getURL(): string {
    return this.#url;
  }

  getFilename(): string {
    return this.#name;
  }

  setSavePath(path: string): void {
    this.savePath = path;
  }
}

export const session = {
  /** As if the system asked whether to pair with a device. Without a handler Electron refuses. */
  pair(details: object, answer: (response: object) => void): void {
    if (pairing) pairing(details, answer);
    else answer({ confirmed: false });
  },
  defaultSession: Object.assign(new EventEmitter(), {
    setPermissionRequestHandler(handler: PermissionRequest | null): void {
      request = handler;
    },
    setPermissionCheckHandler(handler: PermissionCheck | null): void {
      check = handler;
    },
    setBluetoothPairingHandler(handler: PairingHandler | null): void {
      pairing = handler;
    },
  }),
};

/**
 * Chromium's names of the permissions that a page has. As in Electron, a missing handler grants everything, and a page that
 * the check refuses may still ask.
 */
export const grantedPermissions = (url: string): string[] =>
  Object.entries(PERMISSIONS).flatMap(([name, chromiumNames]) => {
    let isGranted = check?.(null, name, `${new URL(url).origin}/`, { requestingUrl: url, isMainFrame: true }) ?? true;
    if (!request) isGranted = true;
    request?.(null, name, (answer) => (isGranted ||= answer), { requestingUrl: url, isMainFrame: true });
    return isGranted ? chromiumNames : [];
  });
