/** The tray: whether devices can deliver, and the way back to a window that was closed. */
import { Menu, type NativeImage, nativeImage, Tray } from 'electron';
import type { PageLanguage } from './pages/words.ts';
import type { Receiving } from './receiving.ts';
import { receivingText, trayWords } from './shell-words.ts';
import { type TrayShape, trayIconPng } from './tray-icon.ts';

/** Side of a tray icon in device-independent pixels, and the scales that screens have. */
const ICON_SIZE = 16;
const SCALES = [1, 1.25, 1.5, 2, 3];

export interface TrayActions {
  receiving(): Receiving;
  language(): PageLanguage;
  show(): void;
  /** Shows the window with the page of uploads. */
  showUploads(): void;
  quit(): void;
}

const shapeOf = ({ state }: Receiving): TrayShape => {
  if (state === 'receiving' || state === 'ready') return state;
  return 'not-receiving';
};

const iconOf = (shape: TrayShape): NativeImage => {
  const isTemplate = process.platform === 'darwin';
  const icon = nativeImage.createEmpty();
  for (const scaleFactor of SCALES) {
    const size = Math.round(ICON_SIZE * scaleFactor);
    const buffer = trayIconPng(shape, size, isTemplate);
    icon.addRepresentation({ scaleFactor, width: size, height: size, buffer });
  }
  if (isTemplate) icon.setTemplateImage(true);
  return icon;
};

export class ReceivingTray {
  readonly #actions: TrayActions;
  readonly #tray: Tray;
  #shape: TrayShape;
  #shown = '';

  constructor(actions: TrayActions) {
    this.#actions = actions;
    this.#shape = shapeOf(actions.receiving());
    this.#tray = new Tray(iconOf(this.#shape));
    this.#tray.on('click', () => {
      // On macOS a click opens the menu.
      if (process.platform !== 'darwin') actions.show();
    });
    this.update();
  }

  /** Shows the present state. Nothing is touched that did not change. */
  update(): void {
    const receiving = this.#actions.receiving();
    const language = this.#actions.language();
    const text = receivingText(receiving, language);
    if (text === this.#shown) return;
    this.#shown = text;
    const shape = shapeOf(receiving);
    if (shape !== this.#shape) this.#tray.setImage(iconOf(shape));
    this.#shape = shape;
    this.#tray.setToolTip(`Outpost: ${text}`);
    this.#tray.setContextMenu(this.#menu(text, receiving, language));
  }

  close(): void {
    this.#tray.destroy();
  }

  #menu(text: string, receiving: Receiving, language: PageLanguage): Menu {
    const words = trayWords[language];
    const { show, showUploads, quit } = this.#actions;
    return Menu.buildFromTemplate([
      { label: text, enabled: false },
      { type: 'separator' },
      { label: words.open, click: show },
      { label: words.uploads, enabled: receiving.state !== 'closed', click: showUploads },
      { type: 'separator' },
      { label: words.quit, click: quit },
    ]);
  }
}
