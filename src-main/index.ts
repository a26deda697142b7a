/** Entry point of the desktop program: one instance with one window. Only this folder imports `electron`. */
import { join } from 'node:path';
import { app } from 'electron';
import { installGuards } from './guards.ts';
import { launchOptions } from './launch-options.ts';
import { installMenu } from './menu.ts';
import { SettingsFile } from './settings.ts';
import { ReceivingTray } from './tray.ts';

/** Deadline for a clean shutdown. The program then quits anyway, which a site survives. */
const CLOSE_DEADLINE_MS = 10_000;

const start = async (): Promise<void> => {
  await app.whenReady();
  const userData = app.getPath('userData');
  const settings = new SettingsFile(join(userData, 'desktop.json'));
  const language = app.getLocale().startsWith('ja') ? 'ja' : 'en';
  const options = launchOptions(
    process.argv.slice(app.isPackaged ? 1 : 2),
    process.env,
    settings.current.siteDir,
    userData,
  );
  const developmentUrl = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL;
  const { Desktop } = await import('./desktop.ts');
  const desktop = new Desktop({
    ...options,
    language,
    settings,
    ...(developmentUrl !== undefined && { developmentUrl }),
  });
  const showMenu = () =>
    installMenu(desktop.language, {
      chooseFolder: () => void desktop.chooseFolder(),
      showSiteFolder: () => desktop.showSiteFolder(),
      zoom: (step) => desktop.zoom(step),
      keepsReceiving: () => settings.current.whenClosed === 'keep-receiving',
      setKeepsReceiving: (keeps) => void settings.change({ whenClosed: keeps ? 'keep-receiving' : 'quit' }),
    });
  settings.onChange = (changed) => {
    if ('whenClosed' in changed) showMenu();
  };
  showMenu();
  installGuards(() => desktop.deskUrl);
  app.on('second-instance', () => desktop.show());
  app.on('activate', () => desktop.show());
  app.on('window-all-closed', () => app.quit());

  const tray = new ReceivingTray({
    receiving: () => desktop.receiving,
    language: () => desktop.language,
    show: () => desktop.show(),
    showUploads: () => void desktop.showUploads(),
    quit: () => app.quit(),
  });

  let closed = false;
  app.on('will-quit', (event) => {
    if (closed) return;
    event.preventDefault();
    closed = true;
    tray.close();
    const deadline = new Promise((resolve) => setTimeout(resolve, CLOSE_DEADLINE_MS));
    void Promise.race([Promise.all([desktop.close(), settings.stored()]), deadline]).finally(() => app.quit());
  });
  await desktop.open();
};

// Before the site's code is loaded, which may be what a new binary cannot load.
if (process.argv.includes('--self-test')) {
  import('./self-test.ts')
    .then(({ selfTest }) => selfTest(process.argv.includes('--json')))
    .catch((thrown: unknown) => {
      process.stderr.write(`The self-test could not run: ${String(thrown)}\n`);
      app.exit(1);
    });
} else if (app.requestSingleInstanceLock()) void start();
else app.quit();
