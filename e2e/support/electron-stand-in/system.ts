/** The parts of Electron that belong to the operating system; tests replace their answers through `evaluate`. */

export const dialog = {
  async showOpenDialog(_options: object): Promise<{ canceled: boolean; filePaths: string[] }> {
    return { canceled: true, filePaths: [] };
  },
};

/** Everything handed to the system, in order. */
export const shell = {
  opened: [] as string[],
  async openExternal(url: string): Promise<void> {
    shell.opened.push(url);
  },
  async openPath(path: string): Promise<string> {
    shell.opened.push(path);
    return '';
  },
};

interface MenuItem {
  label?: string;
  role?: string;
  submenu?: MenuItem[];
  click?: () => void;
}

let applicationMenu: { items: MenuItem[] } | null = null;

export const Menu = {
  buildFromTemplate: (items: MenuItem[]) => ({ items }),
  setApplicationMenu(menu: { items: MenuItem[] } | null): void {
    applicationMenu = menu;
  },
  getApplicationMenu: () => applicationMenu,
};

type PermissionCheck = (contents: null, permission: string, origin: string) => boolean;

/** Chromium's own headless default denies what asks; the handlers are kept so that a test can ask them. */
export const session = {
  defaultSession: {
    permissionCheck: undefined as PermissionCheck | undefined,
    setPermissionRequestHandler(_handler: (...args: never[]) => void): void {},
    setPermissionCheckHandler(handler: PermissionCheck): void {
      session.defaultSession.permissionCheck = handler;
    },
  },
};
