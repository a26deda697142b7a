/** One recording while it grows: frames are stored as received, pages behind them, and at the end it becomes a file. */
import { MARKS_PER_BLOCK } from '../../../../src-server/signals/container/marks.ts';
import type { SignalCodec } from '../../../../src-server/signals/container/signal-codec.ts';
import type { SignalMark, SignalPage } from '../../../../src-server/signals/types.ts';
import type { Decoded } from '../driver.ts';
import type { RecordingRow, RecordingStore, StoredBlock, StoredFrame } from '../recording-store.ts';
import type { DecoderCarry } from './carry.ts';
import { RecordingDecoder } from './decoder.ts';
import { makeFile } from './file.ts';
import type { GapReason } from './marks.ts';

export class LiveRecording {
  readonly row: RecordingRow;
  readonly #store: RecordingStore;
  readonly #codec: SignalCodec;
  readonly #decoder: RecordingDecoder;
  #frames: StoredFrame[] = [];
  #blocks: StoredBlock[] = [];
  #marks: SignalMark[] = [];
  #frameCount = 0;
  #blockCount = 0;
  #isCreated = false;
  #writes: Promise<unknown> = Promise.resolve();

  constructor(row: RecordingRow, store: RecordingStore, codec: SignalCodec) {
    this.row = row;
    this.#store = store;
    this.#codec = codec;
    this.#decoder = new RecordingDecoder(row.driver, row.plan, row.carry);
  }

  get lostFrames(): number {
    return this.#decoder.lostFrames;
  }

  get unreadableFrames(): number {
    return this.#decoder.unreadable;
  }

  /** State for the recording that continues this one; valid after {@link finish} was called. */
  get carry(): DecoderCarry {
    return this.#decoder.carry;
  }

  isRestart(frame: StoredFrame): boolean {
    return this.#decoder.isRestart(frame);
  }

  add(frame: Omit<StoredFrame, 'recordingId' | 'sequence'>): Decoded {
    const stored = { ...frame, recordingId: this.row.recordingId, sequence: this.#frameCount };
    this.#frameCount += 1;
    this.#frames.push(stored);
    return this.#decoder.add(stored);
  }

  /** Makes durable what has arrived. After a failure (a full store) everything is kept for the next call. */
  flush(): Promise<void> {
    this.#encode(this.#decoder.take(false));
    return this.#write();
  }

  /** Ends the recording. Returns false when it held no sample; nothing of it is kept then. */
  async finish(reason?: GapReason): Promise<boolean> {
    this.#encode(this.#decoder.take(true));
    if (reason) {
      this.#decoder.endAll(reason);
      this.#encode(this.#decoder.take(true));
    }
    for (let at = 0; at < this.#marks.length; at += MARKS_PER_BLOCK) {
      this.#push(this.#codec.encodeMarks(this.#marks.slice(at, at + MARKS_PER_BLOCK), this.#blockCount));
    }
    this.#marks = [];
    await this.#write();
    const { recordingId } = this.row;
    const blocks = await this.#store.blocks(recordingId);
    const file = await makeFile(this.#codec, this.row, blocks, (startUs, stopUs) =>
      this.#decoder.syncPoints(startUs, stopUs),
    );
    if (file) await this.#store.update(recordingId, { state: 'FINISHED', file });
    else await this.#store.remove(recordingId);
    return file !== null;
  }

  /** Makes a recording again whose page was closed before it was finished. */
  static async recover(row: RecordingRow, store: RecordingStore, codec: SignalCodec): Promise<boolean> {
    const frames = await store.frames(row.recordingId);
    await store.removeBlocks(row.recordingId);
    const recording = new LiveRecording(row, store, codec);
    recording.#isCreated = true;
    for (const frame of frames) {
      recording.#decoder.add(frame);
      recording.#encode(recording.#decoder.take(false));
    }
    return await recording.finish();
  }

  #encode({ pages, marks }: { pages: SignalPage[]; marks: SignalMark[] }): void {
    for (const page of pages) {
      const { sampleBits } = this.row.plan[page.channel]!.channel;
      this.#push(this.#codec.encodePage(page, sampleBits, this.#blockCount));
    }
    this.#marks.push(...marks);
  }

  #push(bytes: Uint8Array): void {
    this.#blocks.push({ recordingId: this.row.recordingId, sequence: this.#blockCount, bytes });
    this.#blockCount += 1;
  }

  #write(): Promise<void> {
    const written = this.#writes.then(async () => {
      if (!this.#isCreated) await this.#store.create(this.row);
      this.#isCreated = true;
      const frames = this.#frames;
      const blocks = this.#blocks;
      await this.#store.addFrames(frames);
      this.#frames = this.#frames.slice(frames.length);
      await this.#store.addBlocks(blocks);
      this.#blocks = this.#blocks.slice(blocks.length);
    });
    this.#writes = written.catch(() => undefined);
    return written;
  }
}

/** Finishes what a killed page left behind. @param isLive recordings that are growing in this page */
export async function recoverRecordings(
  store: RecordingStore,
  codec: SignalCodec,
  isLive: (recordingId: string) => boolean = () => false,
): Promise<void> {
  for (const row of await store.list()) {
    if (row.state === 'RECORDING' && !isLive(row.recordingId)) await LiveRecording.recover(row, store, codec);
  }
}
