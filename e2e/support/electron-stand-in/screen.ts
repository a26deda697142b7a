/** Displays and the place of a window on them. No display is real: tests say which there are. */
import { EventEmitter } from 'node:events';

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Display {
  id: number;
  bounds: Rectangle;
  workArea: Rectangle;
  scaleFactor: number;
}

const BOUNDS = { x: 0, y: 0, width: 1920, height: 1080 };

/** Tests replace the two questions and emit the events of a display that comes or goes. */
class Screen extends EventEmitter {
  getAllDisplays(): Display[] {
    return [{ id: 1, bounds: BOUNDS, workArea: { ...BOUNDS, height: 1040 }, scaleFactor: 1 }];
  }

  getPrimaryDisplay(): Display {
    const [main] = this.getAllDisplays();
    if (!main) throw new Error('There is no display.');
    return main;
  }
}

export const screen = new Screen();

/** The part of a window that is about where it is. No window manager moves or resizes anything here. */
export class PlacedWindow extends EventEmitter {
  #bounds: Rectangle;
  #isMaximized = false;

  constructor({ width = 800, height = 600, x, y }: Partial<Rectangle>) {
    super();
    const { workArea } = screen.getPrimaryDisplay();
    this.#bounds = {
      x: x ?? workArea.x + Math.floor((workArea.width - width) / 2),
      y: y ?? workArea.y + Math.floor((workArea.height - height) / 2),
      width,
      height,
    };
  }

  getNormalBounds(): Rectangle {
    return { ...this.#bounds };
  }

  /** @throws RangeError for values that Electron refuses: anything but whole numbers */
  setBounds(bounds: Partial<Rectangle>): void {
    for (const value of Object.values(bounds)) {
      if (!Number.isInteger(value)) throw new RangeError('Error processing argument at index 0: conversion failure');
    }
    const before = this.#bounds;
    this.#bounds = { ...before, ...bounds };
    if (before.width !== this.#bounds.width || before.height !== this.#bounds.height) this.emit('resize');
    if (before.x !== this.#bounds.x || before.y !== this.#bounds.y) this.emit('move');
  }

  isMaximized(): boolean {
    return this.#isMaximized;
  }

  maximize(): void {
    if (this.#isMaximized) return;
    this.#isMaximized = true;
    this.emit('maximize');
  }

  unmaximize(): void {
    if (!this.#isMaximized) return;
    this.#isMaximized = false;
    this.emit('unmaximize');
  }

  isFullScreen(): boolean {
    return false;
  }
}
