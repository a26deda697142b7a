/** Applies the configured faults to each chunk that is sent. */
import type { Faults } from './faults.ts';
import type { Disturbance } from './upload.ts';

interface Chunk {
  offset: number;
  sizeBytes: number;
  recordingId: string;
}

/** Cuts and kills count the bytes of all recordings since the start of the program. */
export class FaultPlan {
  readonly #faults: Faults;
  readonly #cuts: number[];
  readonly #kill: () => void;
  readonly #flipped = new Set<string>();
  #sentBytes = 0;

  constructor(faults: Faults, kill: () => void = killThisProgram) {
    this.#faults = faults;
    this.#cuts = [...faults.cutAtBytes];
    this.#kill = kill;
  }

  readonly disturb = ({ sizeBytes, recordingId }: Chunk): Disturbance => {
    const { bytesPerSecond, duplicate, reorder, flip, killAtBytes } = this.#faults;
    const before = this.#sentBytes;
    const after = before + sizeBytes;
    const disturbance: Disturbance = { ...(bytesPerSecond !== undefined && { bytesPerSecond }), duplicate, reorder };
    const isIn = (byte: number | undefined): byte is number => byte !== undefined && byte >= before && byte < after;
    const [cut] = this.#cuts;
    if (isIn(killAtBytes)) {
      disturbance.cutAfterBytes = killAtBytes - before;
      disturbance.onCut = this.#kill;
    } else if (isIn(cut)) {
      this.#cuts.shift();
      disturbance.cutAfterBytes = cut - before;
    }
    // A chunk that is cut may never show the bit that was flipped.
    if (flip && disturbance.cutAfterBytes === undefined && !this.#flipped.has(recordingId)) {
      this.#flipped.add(recordingId);
      disturbance.flip = true;
    }
    this.#sentBytes = disturbance.cutAfterBytes === undefined ? after : before + disturbance.cutAfterBytes;
    return disturbance;
  };
}

function killThisProgram(): void {
  process.kill(process.pid, 'SIGKILL');
}
