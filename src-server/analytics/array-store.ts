/** Where the feature arrays of stage 1 are kept until stage 2 reads them. */

export type StoredArray = Uint8Array | Float32Array | Float64Array;

/** Where feature arrays go until stage 2 reads them; the arrays read must not be changed. */
export interface ArrayStore {
  put(arrays: readonly StoredArray[]): StoredHandle;
  get(handle: StoredHandle): readonly StoredArray[];
  /** Fills `target` with the elements from `from` on of the array at `index`; nothing else is brought into memory. */
  read(handle: StoredHandle, index: number, from: number, target: StoredArray): void;
}

/** What a store gave for some arrays. */
export type StoredHandle = object;

/** Keeps everything in memory, for recordings known to be short. */
export const memoryStore: ArrayStore = {
  put: (arrays) => arrays,
  get: (handle) => handle as readonly StoredArray[],
  read: (handle, index, from, target) => {
    const array = (handle as readonly StoredArray[])[index]!;
    target.set(array.subarray(from, from + target.length));
  },
};
