/** Wear as a person says. */

/** A span in which sensors were worn, or were not; seconds since the epoch, stop exclusive. */
export interface WearEdit {
  startSecond: number;
  stopSecond: number;
  isWorn: boolean;
}

/** Sets the wear of seconds from `startSecond` on to what a person says: 1 worn, 0 off. Later edits win. */
export function overrideWear(wear: Uint8Array, startSecond: number, edits: readonly WearEdit[]): void {
  for (const edit of edits) {
    const from = Math.max(0, edit.startSecond - startSecond);
    const to = Math.min(wear.length, edit.stopSecond - startSecond);
    if (from < to) wear.fill(edit.isWorn ? 1 : 0, from, to);
  }
}
