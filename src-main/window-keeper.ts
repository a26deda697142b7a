/** Keeps place and zoom of the window: restores them for the displays that are there, and stores what the user changes. */
import { type BrowserWindow, type Rectangle, screen } from 'electron';
import type { SettingsFile } from './settings.ts';
import { arrangementOf, type DisplayArea, restoredPlace, type WindowPlace, withPlace } from './window-place.ts';

/** Moving a window tells its position many times a second; only where it stops is stored. */
const STORE_AFTER_MS = 500;

export type ZoomStep = 'in' | 'out' | 'reset';
/** Half of Electron's levels, as in its own menu: about 9 % each. The limits are 25 % and 500 %, as in Chromium. */
const ZOOM_STEP = 0.5;
const ZOOM_LIMITS = { min: -7.5, max: 8.5 };

/** Displays with the main one first. */
const displaysNow = (): DisplayArea[] => {
  const main = screen.getPrimaryDisplay();
  return [main, ...screen.getAllDisplays().filter(({ id }) => id !== main.id)];
};

const zoomed = (level: number, step: ZoomStep): number => {
  if (step === 'reset') return 0;
  const next = level + (step === 'in' ? ZOOM_STEP : -ZOOM_STEP);
  return Math.min(Math.max(next, ZOOM_LIMITS.min), ZOOM_LIMITS.max);
};

export class WindowKeeper {
  readonly #settings: SettingsFile;
  #window: BrowserWindow | null = null;
  #arrangement: string;
  #zoomLevel: number;
  /** Electron shows a window that it maximises, so one that is hidden is maximised when it is shown. */
  #maximizesWhenShown = false;
  #storing: NodeJS.Timeout | undefined;

  constructor(settings: SettingsFile) {
    this.#settings = settings;
    this.#arrangement = arrangementOf(displaysNow());
    this.#zoomLevel = this.#restored()?.zoomLevel ?? 0;
    // Three calls, because Electron's types have one signature for each event.
    screen.on('display-added', () => this.#followDisplays());
    screen.on('display-removed', () => this.#followDisplays());
    screen.on('display-metrics-changed', () => this.#followDisplays());
  }

  /** Where a new window is made; undefined leaves it to the system. */
  get bounds(): Rectangle | undefined {
    return this.#restored()?.bounds;
  }

  /** Keeps this window from now on, in place of the one before. */
  keep(window: BrowserWindow): void {
    this.#window = window;
    this.#maximizesWhenShown = this.#restored()?.isMaximized ?? false;
    const soon = () => {
      clearTimeout(this.#storing);
      this.#storing = setTimeout(() => this.#store(), STORE_AFTER_MS);
      this.#storing.unref();
    };
    window.on('resize', soon);
    window.on('move', soon);
    window.on('maximize', soon);
    window.on('unmaximize', soon);
    // Before it is hidden or closed: afterwards there is no place to read.
    window.on('close', () => this.#store());
    const { webContents } = window;
    // Chromium keeps a zoom for each host; a start page has none.
    webContents.on('did-finish-load', () => webContents.setZoomLevel(this.#zoomLevel));
    webContents.on('zoom-changed', (_event, direction) => this.zoom(direction));
  }

  /** Shows the window, maximised if it was. */
  show(window: BrowserWindow): void {
    if (this.#maximizesWhenShown) window.maximize();
    this.#maximizesWhenShown = false;
    window.show();
  }

  zoom(step: ZoomStep): void {
    this.#zoomLevel = zoomed(this.#zoomLevel, step);
    this.#window?.webContents.setZoomLevel(this.#zoomLevel);
    this.#store();
  }

  #restored(): WindowPlace | undefined {
    return restoredPlace(this.#settings.current.windowPlaces ?? [], displaysNow());
  }

  #place(window: BrowserWindow): WindowPlace {
    return {
      bounds: window.getNormalBounds(),
      isMaximized: window.isMaximized() || this.#maximizesWhenShown,
      zoomLevel: this.#zoomLevel,
    };
  }

  #store(): void {
    clearTimeout(this.#storing);
    const window = this.#window;
    if (!window || window.isDestroyed() || window.isMinimized() || window.isFullScreen()) return;
    const places = this.#settings.current.windowPlaces ?? [];
    const next = withPlace(places, this.#arrangement, this.#place(window));
    if (JSON.stringify(next) !== JSON.stringify(places)) void this.#settings.change({ windowPlaces: next });
  }

  /**
   * Takes the window to where it was with these displays the last time, or keeps it in sight. A move by the system that is not stored
   * yet is forgotten: it says nothing about what the user wants.
   */
  #followDisplays(): void {
    const window = this.#window;
    if (!window || window.isDestroyed() || window.isFullScreen()) return;
    clearTimeout(this.#storing);
    const displays = displaysNow();
    const arrangement = arrangementOf(displays);
    const places = this.#settings.current.windowPlaces ?? [];
    const present = this.#place(window);
    const isReturning = arrangement !== this.#arrangement && places.some(([key]) => key === arrangement);
    this.#arrangement = arrangement;
    const wanted = restoredPlace(isReturning ? places : [['', present]], displays);
    if (!wanted || JSON.stringify(wanted) === JSON.stringify(present)) return;
    this.#zoomLevel = wanted.zoomLevel;
    window.webContents.setZoomLevel(wanted.zoomLevel);
    if (window.isMaximized()) window.unmaximize();
    window.setBounds(wanted.bounds);
    // A window that is seen is not brought to the front.
    this.#maximizesWhenShown = wanted.isMaximized && !window.isVisible();
    if (wanted.isMaximized && window.isVisible()) window.maximize();
  }
}
