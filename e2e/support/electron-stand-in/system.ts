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

let check: PermissionCheck | null = null;
let request: PermissionRequest | null = null;

export const session = {
  defaultSession: {
    setPermissionRequestHandler(handler: PermissionRequest | null): void {
      request = handler;
    },
    setPermissionCheckHandler(handler: PermissionCheck | null): void {
      check = handler;
    },
  },
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
