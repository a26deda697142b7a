/** The counts that a file format can hold. */
import { OutpostError } from '../../errors.ts';
import type { SampleArray } from '../../signals/types.ts';

export interface CountLimits {
  least: number;
  most: number;
}

/** BDF holds 24 bits; a channel of 32 may have wider counts. @throws UNSUPPORTED_FORMAT */
export function checkWidth(columns: readonly SampleArray[], { least, most }: CountLimits): void {
  for (const column of columns) {
    for (const count of column) {
      if (count > most || count < least) {
        throw new OutpostError(
          'UNSUPPORTED_FORMAT',
          'The recording has samples of more than 24 bits, which BDF+ cannot hold. Export it as a ZIP of CSV.',
        );
      }
    }
  }
}
