/** A desktop program that only shows a window, to compare the start of ours with. */
import { app, BrowserWindow } from 'electron';

await app.whenReady();
const window = new BrowserWindow({ show: false });
window.once('ready-to-show', () => window.show());
await window.loadURL('data:text/html,<h1>Outpost</h1>');
