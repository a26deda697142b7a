/**
 * A file or folder whose recordings can be read twice. The pages of an import stream once, so the source is opened a second time where
 * a sensor is calibrated before its features are found. Nothing of the file is kept between the two passes.
 */
import { OutpostError } from '../errors.ts';
import { openImport } from '../importers/index.ts';
import type { ImportedRecording, ImportOptions, ImportSource } from '../importers/types.ts';

export class SourceTwice {
  readonly first: ImportSource;
  readonly #path: string;
  readonly #options: ImportOptions;
  #second: ImportSource | undefined;

  private constructor(path: string, options: ImportOptions, first: ImportSource) {
    this.#path = path;
    this.#options = options;
    this.first = first;
  }

  /** @throws as `openImport` */
  static async open(path: string, options: ImportOptions): Promise<SourceTwice> {
    return new SourceTwice(path, options, await openImport([path], options));
  }

  /**
   * A recording of `first` with its pages unread.
   * @throws CONFLICT when the file has changed in between, or as `openImport`
   */
  async again(index: number): Promise<ImportedRecording> {
    this.#second ??= await openImport([this.#path], this.#options);
    const before = this.first.recordings[index]!;
    const recording = this.#second.recordings[index];
    if (!recording || layoutOf(recording) !== layoutOf(before)) throw changed(this.#path);
    return recording;
  }

  async close(): Promise<void> {
    await this.first.close();
    await this.#second?.close();
  }
}

const layoutOf = ({ header }: ImportedRecording): string => JSON.stringify([header.physicalConfig, header.channels]);

const changed = (path: string): OutpostError =>
  new OutpostError('CONFLICT', `${path} changed while it was read. Analyse it again once nothing writes to it.`);
