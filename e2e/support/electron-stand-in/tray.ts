import { EventEmitter } from 'node:events';

const PNG_SIGNATURE = '89504e470d0a1a0a';

class NativeImage {
  readonly #scales: number[] = [];

  /** @throws when the bytes are no PNG, which Electron would show as nothing */
  addRepresentation({ scaleFactor = 1, buffer }: { scaleFactor?: number; buffer?: Buffer }): void {
    if (buffer?.subarray(0, 8).toString('hex') !== PNG_SIGNATURE) throw new Error('An image that cannot be decoded.');
    this.#scales.push(scaleFactor);
  }

  setTemplateImage(_isTemplate: boolean): void {}

  isEmpty(): boolean {
    return this.#scales.length === 0;
  }
}

export const nativeImage = { createEmpty: () => new NativeImage() };

/** A tray that nobody sees. Tests replace methods of the prototype, as they can in Electron. */
export class Tray extends EventEmitter {
  constructor(image: NativeImage) {
    super();
    this.setImage(image);
  }

  /** Electron shows nothing for an empty image, which is a mistake of the caller. */
  setImage(image: NativeImage): void {
    if (image.isEmpty()) throw new Error('A tray without an image.');
  }

  setToolTip(_text: string): void {}

  setContextMenu(_menu: object | null): void {}

  destroy(): void {}
}
