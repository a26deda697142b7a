import { keepPage, session } from '../../shared/api/session.ts';
import { desktopProgram } from '../../shared/desktop.ts';
import { openRecordings } from './database.ts';
import { DeskRecordings } from './desk-recordings.ts';

export type { Delivered, DeskRecordings } from './desk-recordings.ts';

let opened: Promise<DeskRecordings> | undefined;

/** The recordings of this page. */
export function deskRecordings(): Promise<DeskRecordings> {
  opened ??= openRecordings(() => {
    opened = undefined;
  }).then(async (database) => {
    const recordings = new DeskRecordings(database, {
      session,
      keepPage,
      // The desktop program would not close at all, without a word.
      asksBeforeClosing: desktopProgram() === undefined,
    });
    await recordings.begin();
    return recordings;
  });
  opened.catch(() => {
    opened = undefined;
  });
  return opened;
}
