/** Readers of WFDB data files, which hand out whole frames of all signals of a file one after another. */
import type { FileHandle } from 'node:fs/promises';
import { damaged } from '../refusals.ts';
import { readFully } from '../source-bytes.ts';
import { FlacEnd } from './flac-bits.ts';
import { decodeFlacFrame, FlacFault, type FlacFrame, type FlacStream, maxFrameBytes } from './flac-frame.ts';
import type { WfdbSignal } from './wfdb-header.ts';
import { bytesOfSamples } from './wfdb-samples.ts';

export interface DataFile {
  path: string;
  signals: WfdbSignal[];
  samplesPerFrame: number;
  byteOffset: number;
  /** Frames that the file holds. */
  frames: number;
  flac?: FlacStream;
}

export interface DataReader {
  /** The next frames, interleaved; fewer at the end of the file. All but the last call ask for a multiple of six. */
  next(frames: number): Promise<Int32Array>;
}

export function dataReader(handle: FileHandle, file: DataFile): DataReader {
  const { format } = file.signals[0]!;
  if (file.flac) return new FlacReader(handle, file, file.flac);
  const plain = new PlainReader(handle, file);
  return format.isDifferences ? new DifferenceReader(plain, file) : plain;
}

class PlainReader implements DataReader {
  readonly #handle: FileHandle;
  readonly #file: DataFile;
  #frame = 0;

  constructor(handle: FileHandle, file: DataFile) {
    this.#handle = handle;
    this.#file = file;
  }

  async next(frames: number): Promise<Int32Array> {
    const { path, signals, samplesPerFrame, byteOffset, frames: total } = this.#file;
    const { format } = signals[0]!;
    const count = Math.max(0, Math.min(frames, total - this.#frame));
    const samples = new Int32Array(count * samplesPerFrame);
    const bytes = Buffer.alloc(bytesOfSamples(format, samples.length));
    const position = byteOffset + bytesOfSamples(format, this.#frame * samplesPerFrame);
    if ((await readFully(this.#handle, bytes, position)) < bytes.length) {
      throw damaged(path, 'it is shorter than its header says.');
    }
    this.#frame += count;
    format.decode(bytes, samples);
    return samples;
  }
}

/** Adds up the steps of format 8, from the initial value of each signal. */
class DifferenceReader implements DataReader {
  readonly #steps: DataReader;
  readonly #file: DataFile;
  readonly #last: Int32Array;

  constructor(steps: DataReader, file: DataFile) {
    this.#steps = steps;
    this.#file = file;
    this.#last = Int32Array.from(file.signals, ({ initialValue }) => initialValue ?? 0);
  }

  async next(frames: number): Promise<Int32Array> {
    const samples = await this.#steps.next(frames);
    const { signals } = this.#file;
    for (let at = 0; at < samples.length; ) {
      for (const [s, { samplesPerFrame }] of signals.entries()) {
        for (let i = 0; i < samplesPerFrame; i++, at++) {
          this.#last[s] = this.#last[s]! + samples[at]!;
          samples[at] = this.#last[s]!;
        }
      }
    }
    return samples;
  }
}

/** One channel per signal; all signals have the same number of samples in a frame. */
class FlacReader implements DataReader {
  readonly #handle: FileHandle;
  readonly #file: DataFile;
  readonly #stream: FlacStream;
  #window: Buffer = Buffer.alloc(0);
  #position: number;
  #block: FlacFrame = { channels: [], bytes: 0 };
  /** Samples of the block that were handed out. */
  #taken = 0;
  #frame = 0;

  constructor(handle: FileHandle, file: DataFile, stream: FlacStream) {
    this.#handle = handle;
    this.#file = file;
    this.#stream = stream;
    this.#position = stream.framesFrom;
  }

  async next(frames: number): Promise<Int32Array> {
    const { signals, samplesPerFrame, frames: total } = this.#file;
    const count = Math.max(0, Math.min(frames, total - this.#frame));
    const perSignal = samplesPerFrame / signals.length;
    const samples = new Int32Array(count * samplesPerFrame);
    for (let i = 0; i < count * perSignal; i++) {
      if (this.#taken >= (this.#block.channels[0]?.length ?? 0)) await this.#nextBlock();
      const at = Math.floor(i / perSignal) * samplesPerFrame + (i % perSignal);
      for (let c = 0; c < signals.length; c++) samples[at + c * perSignal] = this.#block.channels[c]![this.#taken]!;
      this.#taken++;
    }
    this.#frame += count;
    return samples;
  }

  async #nextBlock(): Promise<void> {
    const needed = maxFrameBytes(this.#stream);
    if (this.#window.length < needed) {
      const more = Buffer.alloc(2 * needed);
      const got = await readFully(this.#handle, more, this.#position + this.#window.length);
      this.#window = Buffer.concat([this.#window, more.subarray(0, got)]);
    }
    try {
      this.#block = decodeFlacFrame(this.#window, this.#stream);
    } catch (thrown) {
      if (thrown instanceof FlacEnd)
        throw damaged(this.#file.path, 'it ends before the samples that its header names.');
      if (thrown instanceof FlacFault) {
        throw damaged(this.#file.path, `its FLAC frame at byte ${this.#position} is damaged: ${thrown.message}.`);
      }
      throw thrown;
    }
    this.#taken = 0;
    this.#window = this.#window.subarray(this.#block.bytes);
    this.#position += this.#block.bytes;
  }
}
