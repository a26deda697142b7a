/**
 * The typeface of the desk, which ships with the program: Inter for Latin text, while Japanese stays in the system's face. It is used
 * from the start of a page or not at all, so no text moves while somebody reads. The window of the program has it at once. A browser
 * fetches it a while after the first sign-in, so that the first load stays small, and its next pages use it. Phones do without.
 */
import file from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import { session } from '../shared/api/session.ts';
import { desktopProgram } from '../shared/desktop.ts';

/** As in `--font` and the fonts of canvases. A name of our own, because another version may be installed. */
const NAME = 'Outpost Sans';
/** The characters of the file, as its package lists them. */
const RANGE =
  'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD';
const KEY = 'outpost.typeface';
/** The page does not wait longer: then it keeps the system's face. */
const MOST_WAIT_MS = 1_500;
/** After the session began, when the first screens have loaded. */
const QUIET_MS = 10_000;

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Whether the browser has fetched this version before. */
function isKept(): boolean {
  try {
    return localStorage.getItem(KEY) === file;
  } catch {
    return false;
  }
}

async function use(): Promise<void> {
  const face = new FontFace(NAME, `url(${file})`, { weight: '100 900', unicodeRange: RANGE });
  const isInTime = await Promise.race([face.load().then(() => true), wait(MOST_WAIT_MS).then(() => false)]);
  if (isInTime) document.fonts.add(face);
}

/** Fetches the file for the next page. */
async function keep(): Promise<void> {
  await wait(QUIET_MS);
  const response = await fetch(file);
  if (!response.ok) return;
  await response.arrayBuffer();
  localStorage.setItem(KEY, file);
}

/** Resolves when the page can show its first text. Never rejects: without the typeface the system's own is used. */
export async function startTypeface(): Promise<void> {
  if (desktopProgram() !== undefined || isKept()) return await use().catch(() => undefined);
  const keepOnce = () => {
    if (session.get() === null) return;
    stop();
    void keep().catch(() => undefined);
  };
  const stop = session.subscribe(keepOnce);
  keepOnce();
}
