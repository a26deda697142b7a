/** Column files for rows that a test inserts itself. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { columnPath, contentOfBytes } from '../files/column-files.ts';

/** What a row of analyticsWindow says of its columns. */
export interface ColumnCells {
  columns: Uint8Array;
  columnsSha256: string;
  columnsBytes: number;
}

/**
 * Returns a function that writes the encoded columns of a window into the site of a database and returns the cells of its row.
 * Neither fsynced nor checked, as no test data must survive a power cut.
 */
export function columnWriter(databasePath: string): (encoded: Uint8Array) => ColumnCells {
  const known = new Map<Uint8Array, ColumnCells>();
  return (encoded) => {
    const before = known.get(encoded);
    if (before) return before;
    const { sha256, sizeBytes } = contentOfBytes(encoded);
    const path = join(dirname(databasePath), columnPath(sha256));
    if (!existsSync(path)) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, encoded);
    }
    const cells = { columns: new Uint8Array(0), columnsSha256: sha256, columnsBytes: sizeBytes };
    known.set(encoded, cells);
    return cells;
  };
}
