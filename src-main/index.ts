/** Entry point of the desktop program: one instance with one window. Only this folder imports `electron`. */
import { join } from 'node:path';
import { app, powerMonitor } from 'electron';
import { isLinkArgument } from './deep-links.ts';
import { installGuards } from './guards.ts';
import { fileArguments, launchOptions } from './launch-options.ts';
import { registerLinks } from './link-opener.ts';
import { isStartInBackground } from './login-start.ts';
import { showMenuOf } from './program-menu.ts';
import { SettingsFile } from './settings.ts';
import { ReceivingTray } from './tray.ts';
import { Wakefulness } from './wakefulness.ts';

/** As in the installers, see `scripts/package/desktop.ts`. */
const APP_ID = 'org.outpost.desktop';
/** Deadline for a clean shutdown. The program then quits anyway, which a site survives. */
const CLOSE_DEADLINE_MS = 10_000;
/** How often it is read whether devices can deliver. Reading takes microseconds. */
const LOOK_EVERY_MS = 1000;

/** The arguments of the user. Before them come the program and, while developing, the folder of its code. */
const ownArguments = (argv: readonly string[]): string[] => argv.slice(app.isPackaged ? 1 : 2);

/** macOS tells files before the program is ready. */
const openedEarly: string[] = [];
let openFile = (path: string): void => void openedEarly.push(path);
app.on('open-file', (event, path) => {
  event.preventDefault();
  openFile(path);
});

/** And links. */
const linksEarly: string[] = [];
let openLink = (link: string): void => void linksEarly.push(link);
app.on('open-url', (event, link) => {
  event.preventDefault();
  openLink(link);
});

const start = async (): Promise<void> => {
  await app.whenReady();
  // Windows shows notifications only of programs that say who they are, as the installer does.
  app.setAppUserModelId(APP_ID);
  const userData = app.getPath('userData');
  const settings = new SettingsFile(join(userData, 'desktop.json'));
  const language = app.getLocale().startsWith('ja') ? 'ja' : 'en';
  const options = launchOptions(ownArguments(process.argv), process.env, settings.current.siteDir, userData);
  const developmentUrl = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL;
  const [{ Desktop }, { followAttention }] = await Promise.all([
    import('./desktop.ts'),
    import('./follow-attention.ts'),
  ]);
  const desktop = new Desktop({
    ...options,
    language,
    settings,
    isInBackground: isStartInBackground(process.argv),
    ...(developmentUrl !== undefined && { developmentUrl }),
  });
  showMenuOf(desktop, settings);
  installGuards(() => desktop.deskUrl, desktop.bluetooth);
  const openArguments = (argv: readonly string[], workingDir: string) => {
    const named = fileArguments(argv);
    void desktop.offerFiles(
      named.filter((argument) => !isLinkArgument(argument)),
      workingDir,
    );
    for (const link of named.filter(isLinkArgument)) openLink(link);
  };
  app.on('second-instance', (_event, argv, workingDir) => {
    desktop.show();
    openArguments(ownArguments(argv), workingDir);
  });
  openFile = (path) => void desktop.offerFiles([path], '/');
  openLink = (link) => void desktop.links.open(link);
  registerLinks();
  openArguments(ownArguments(process.argv), process.cwd());
  void desktop.offerFiles(openedEarly, '/');
  for (const link of linksEarly) openLink(link);
  app.on('activate', () => desktop.show());
  app.on('window-all-closed', () => app.quit());

  const tray = new ReceivingTray({
    receiving: () => desktop.receiving,
    language: () => desktop.language,
    show: () => desktop.show(),
    showUploads: () => void desktop.showPage('/equipment/uploads'),
    quit: () => app.quit(),
  });

  const attention = followAttention(desktop, settings);
  const wakefulness = new Wakefulness(
    () => desktop.receiving,
    () => settings.current.staysAwake === true,
  );
  const look = () => {
    tray.update();
    wakefulness.update();
    desktop.session.update();
    attention.update();
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  powerMonitor.on('resume', look);
  powerMonitor.on('on-ac', look);
  powerMonitor.on('on-battery', look);

  let closed = false;
  app.on('will-quit', (event) => {
    if (closed) return;
    event.preventDefault();
    closed = true;
    clearInterval(timer);
    wakefulness.close();
    attention.close();
    tray.close();
    const deadline = new Promise((resolve) => setTimeout(resolve, CLOSE_DEADLINE_MS));
    const stopped = Promise.all([desktop.close(), desktop.downloads.saver.close(), settings.stored()]);
    const ended = stopped.then(() => desktop.updates.installAtEnd());
    void Promise.race([ended, deadline]).finally(() => app.quit());
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
