/** Electron's security checklist on the running program; `resources/shell-security.md` names the test of each item. */
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { DesktopApi } from '../../src-main/desktop-api.ts';
import { type DesktopApp, launchDesktop } from '../support/desktop.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { makeEmptySite } from '../support/sites.ts';

// One program for all of them; each leaves the window where it was.
test.describe.configure({ mode: 'serial' });

let folder: string;
let app: DesktopApp;
/** A page of another origin, as near as one can be. */
let stranger: Server;
let strangerUrl: string;
/** Requests that reached the other origin. */
const reached: string[] = [];

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-security-'));
  await makeEmptySite(join(folder, 'site'));
  stranger = createServer((request, response) => {
    reached.push(request.url ?? '');
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('content-type', request.url?.endsWith('.js') ? 'text/javascript' : 'text/html');
    response.end(request.url?.endsWith('.js') ? 'globalThis.strangerRan = true' : '<title>Stranger</title>');
  });
  await new Promise<void>((done) => stranger.listen(0, '127.0.0.1', done));
  strangerUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
  app = await launchDesktop({
    userData: join(folder, 'user-data'),
    args: ['--data', join(folder, 'site'), '--port', '0'],
  });
  await expect(app.window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

test.afterAll(async () => {
  await app?.quit();
  stranger?.close();
  await removeFolder(folder);
});

test.beforeEach(() => {
  reached.length = 0;
});

test('has the settings of the checklist in every window', async () => {
  const settings = await app.evaluate(
    ({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.webContents.getLastWebPreferences()),
    null,
  );
  expect(settings.length).toBeGreaterThan(0);
  for (const seen of settings) {
    expect(seen).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      plugins: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    });
    for (const name of ['enableBlinkFeatures', 'disableBlinkFeatures', 'additionalArguments', 'partition', 'session']) {
      expect(seen[name] ?? '', name).toEqual('');
    }
  }
});

test('loads nothing but the site on this computer', async () => {
  const { window } = app;
  const origin = new URL(window.url()).origin;
  expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const asked: string[] = [];
  window.on('request', (request) => asked.push(request.url()));
  await window.reload();
  await expect(window.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  expect(asked.length).toBeGreaterThan(1);
  expect(asked.filter((url) => !url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url))).toEqual([]);
  window.removeAllListeners('request');
});

test('gives a page neither Node nor Electron', async () => {
  const seen = await app.window.evaluate(() =>
    ['require', 'process', 'module', 'global', 'Buffer', 'ipcRenderer', 'electron', 'standInInvoke'].filter(
      (name) => name in globalThis,
    ),
  );
  expect(seen).toEqual([]);
});

test('grants a page only writing to the clipboard', async () => {
  const states = await app.window.evaluate(async () => {
    const names = ['geolocation', 'notifications', 'camera', 'microphone', 'midi', 'clipboard-read', 'clipboard-write'];
    const asked = names.map(async (name) => {
      const { state } = await navigator.permissions.query({ name: name as PermissionName });
      return [name, state] as const;
    });
    return Object.fromEntries(await Promise.all(asked));
  });
  const { 'clipboard-write': clipboard, ...others } = states;
  expect(clipboard).toBe('granted');
  for (const [name, state] of Object.entries(others)) expect(state, name).toBe('denied');
  const position = await app.window.evaluate(
    () =>
      new Promise<string>((resolve) =>
        navigator.geolocation.getCurrentPosition(
          () => resolve('found'),
          (error) => resolve(error.code === error.PERMISSION_DENIED ? 'denied' : error.message),
        ),
      ),
  );
  expect(position).toBe('denied');
});

test('runs no script, frame or request of another origin', async () => {
  const { window } = app;
  const policy = (await fetch(window.url())).headers.get('content-security-policy') ?? '';
  const directives = new Map(
    policy.split(';').map((one) => [one.trim().split(' ')[0], one.trim().split(' ').slice(1)]),
  );
  expect(directives.get('default-src')).toEqual(["'self'"]);
  expect(directives.get('script-src')).toEqual(["'self'"]);
  expect(directives.get('connect-src')).toEqual(["'self'"]);
  expect(directives.get('object-src')).toEqual(["'none'"]);
  expect(directives.get('frame-ancestors')).toEqual(["'none'"]);

  const violated = await window.evaluate(async (other) => {
    const violations: string[] = [];
    document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective));
    const foreign = document.createElement('script');
    foreign.src = `${other}/script.js`;
    const inline = document.createElement('script');
    inline.textContent = 'globalThis.inlineRan = true';
    const frame = document.createElement('iframe');
    frame.src = `${other}/frame`;
    document.body.append(foreign, inline, frame);
    await fetch(`${other}/data`).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
    for (const element of [foreign, inline, frame]) element.remove();
    return { violations, ran: ['inlineRan', 'strangerRan'].filter((name) => name in globalThis) };
  }, strangerUrl);
  expect(violated.ran).toEqual([]);
  expect(new Set(violated.violations)).toEqual(new Set(['script-src-elem', 'frame-src', 'connect-src']));
  expect(reached).toEqual([]);
});

test('attaches no web view', async () => {
  const isView = await app.window.evaluate(() => 'getWebContentsId' in document.createElement('webview'));
  expect(isView).toBe(false);
  const isPrevented = await app.evaluate(({ BrowserWindow }) => {
    const event = {
      isPrevented: false,
      preventDefault() {
        this.isPrevented = true;
      },
    };
    BrowserWindow.getAllWindows()[0]?.webContents.emit('will-attach-webview', event, {}, {});
    return event.isPrevented;
  }, null);
  expect(isPrevented).toBe(true);
});

test('stays on the site, whatever address a page goes to', async () => {
  const { window } = app;
  const before = window.url();
  const elsewhere = [strangerUrl, 'file:///etc/passwd', 'data:text/html,hello', 'chrome://version'];
  for (const address of elsewhere) {
    await window.evaluate((url) => {
      location.href = url;
    }, address);
    // A navigation that was begun is answered before a question that is asked after it.
    await window.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    expect(window.url(), address).toBe(before);
  }
  expect(reached).toEqual([]);
  const isPrevented = await app.evaluate(({ BrowserWindow }, url) => {
    const event = {
      url,
      isPrevented: false,
      preventDefault() {
        this.isPrevented = true;
      },
    };
    BrowserWindow.getAllWindows()[0]?.webContents.emit('will-redirect', event);
    return event.isPrevented;
  }, strangerUrl);
  expect(isPrevented).toBe(true);
});

test('opens no second window', async () => {
  const { window } = app;
  const count = () => window.context().pages().length;
  const before = count();
  for (const address of [strangerUrl, 'about:blank', window.url()]) {
    await window.evaluate((url) => void open(url, '_blank'), address);
  }
  await window.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)));
  // The stand-in closes what Chromium opened before it could be asked.
  await expect.poll(count).toBe(before);
});

test('hands only web and mail addresses to the system', async () => {
  await app.evaluate(({ shell }) => {
    const opened: string[] = [];
    shell.openExternal = async (url) => void opened.push(url);
    Object.assign(shell, { seen: opened });
  }, null);
  const ask = (address: unknown) =>
    app.window.evaluate(
      (url) => (globalThis as unknown as { outpostDesktop: DesktopApi }).outpostDesktop.openExternal(url as string),
      address,
    );
  const refused = [
    'file:///etc/passwd',
    'smb://server/share',
    'ms-settings:',
    strangerUrl,
    'mailto:a@b.example?attach=/x',
  ];
  for (const address of [...refused, 5, null, { url: 'https://www.example.org/' }]) {
    expect(await ask(address), String(address)).toMatchObject({ ok: false });
  }
  expect(await ask('https://www.example.org/help')).toEqual({ ok: true });
  expect(await app.evaluate(({ shell }) => (shell as unknown as { seen: string[] }).seen, null)).toEqual([
    'https://www.example.org/help',
  ]);
});

test('answers each call only to a page that may make it', async () => {
  const { window } = app;
  await app.evaluate(({ shell }) => {
    shell.openPath = async () => '';
  }, null);
  const answers = await window.evaluate(async () => {
    const api = (globalThis as unknown as { outpostDesktop: Record<string, () => Promise<unknown>> }).outpostDesktop;
    const refused: string[] = [];
    for (const [name, call] of Object.entries(api)) {
      const answer = call().catch((error: Error) => {
        if (error.message.includes('may not call')) refused.push(name);
      });
      // Waiting for a file that the user opens takes longer than refusing.
      await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 500))]);
    }
    return { all: Object.keys(api), refused };
  });
  // Pages of the site may ask for information; starting, choosing and quitting belong to the program's own start pages.
  expect(answers.all.filter((name) => !answers.refused.includes(name)).sort()).toEqual([
    'answerBluetoothPrompt',
    'endSaving',
    'forgetOpenedFiles',
    'forgetSession',
    'info',
    'isLocked',
    'keepSession',
    'lockRequests',
    'markWindowCrashRead',
    'nextBluetoothPrompt',
    'nextCommand',
    'nextLock',
    'nextSavings',
    'openExternal',
    'openSite',
    'openedFiles',
    'readOpenedFile',
    'session',
    'setCommands',
    'showSaved',
    'showSiteFolder',
    'stayOffer',
    'windowCrash',
  ]);
  // Opening a site is for folders that the program knows, and changes nothing for any other.
  const opened = await window.evaluate(async () => {
    const api = (globalThis as unknown as { outpostDesktop: { openSite(dir: unknown): Promise<unknown> } })
      .outpostDesktop;
    return await Promise.all(['/', '/etc', '../site', 7, null].map((dir) => api.openSite(dir)));
  });
  expect(opened).toEqual(Array(5).fill({ ok: false, message: expect.stringMatching(/./) }));
  const inFrame = await window.evaluate(async () => {
    const frame = document.createElement('iframe');
    frame.srcdoc = '<title>Within</title>';
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    document.body.append(frame);
    await loaded;
    const has = frame.contentWindow !== null && 'outpostDesktop' in frame.contentWindow;
    frame.remove();
    return has;
  });
  expect(inFrame).toBe(false);
});
