import { contextBridge, ipcRenderer } from 'electron';
import { CHANNELS, type DesktopApi } from './desktop-api.ts';

// Named functions only: a page gets no generic channel and never a raw Electron event.
contextBridge.exposeInMainWorld('outpostDesktop', {
  info: () => ipcRenderer.invoke(CHANNELS.info),
  openExternal: (url) => ipcRenderer.invoke(CHANNELS.openExternal, url),
  showSiteFolder: () => ipcRenderer.invoke(CHANNELS.showSiteFolder),
  openedFiles: () => ipcRenderer.invoke(CHANNELS.openedFiles),
  readOpenedFile: (id, offset) => ipcRenderer.invoke(CHANNELS.readOpenedFile, id, offset),
  forgetOpenedFiles: (ids) => ipcRenderer.invoke(CHANNELS.forgetOpenedFiles, ids),
  windowCrash: () => ipcRenderer.invoke(CHANNELS.windowCrash),
  markWindowCrashRead: () => ipcRenderer.invoke(CHANNELS.markWindowCrashRead),
  setCommands: (commands) => ipcRenderer.invoke(CHANNELS.setCommands, commands),
  nextCommand: () => ipcRenderer.invoke(CHANNELS.nextCommand),
  retry: () => ipcRenderer.invoke(CHANNELS.retry),
  retryOnFreePort: () => ipcRenderer.invoke(CHANNELS.retryOnFreePort),
  chooseFolder: () => ipcRenderer.invoke(CHANNELS.chooseFolder),
  showSites: () => ipcRenderer.invoke(CHANNELS.showSites),
  sites: () => ipcRenderer.invoke(CHANNELS.sites),
  openSite: (dir) => ipcRenderer.invoke(CHANNELS.openSite, dir),
  forgetSite: (dir) => ipcRenderer.invoke(CHANNELS.forgetSite, dir),
  newSite: () => ipcRenderer.invoke(CHANNELS.newSite),
  createSite: (site) => ipcRenderer.invoke(CHANNELS.createSite, site),
  chooseLanguage: (language, typed) => ipcRenderer.invoke(CHANNELS.chooseLanguage, language, typed),
  openDemo: () => ipcRenderer.invoke(CHANNELS.openDemo),
  recover: (step, passphrase) => ipcRenderer.invoke(CHANNELS.recover, step, passphrase),
  updates: (step, words) => ipcRenderer.invoke(CHANNELS.updates, step, words),
  quit: () => ipcRenderer.invoke(CHANNELS.quit),
} satisfies DesktopApi);
