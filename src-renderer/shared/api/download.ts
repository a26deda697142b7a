/** Saves files to the user's computer. Responses that need credentials are downloaded as a blob. */
import { MINUTE_MS } from '../../../src-server/durations.ts';

function save(href: string, fileName?: string): void {
  const link = document.createElement('a');
  link.href = href;
  if (fileName !== undefined) link.download = fileName;
  link.rel = 'noopener';
  document.body.append(link);
  link.click();
  link.remove();
}

/** Frees a blob after a minute: the browser reads it after the click has returned. */
function revokeLater(url: string): void {
  setTimeout(() => URL.revokeObjectURL(url), MINUTE_MS);
}

/** Saves the body of an authorized response under a name. */
export async function saveResponse(response: Response, fileName: string): Promise<void> {
  const url = URL.createObjectURL(await response.blob());
  save(url, fileName);
  revokeLater(url);
}

/** Lets the browser download a signed address directly, so that a large file does not pass through the page. */
export function openSigned(href: string): void {
  save(href);
}

/** Joins parts to a file name that is valid on every file system. */
export function fileName(...parts: string[]): string {
  return parts.join('_').replace(/[\\/:*?"<>|\s]+/g, '-');
}

/** Saves a text that the page has built. */
export function saveText(text: string, fileName: string, mediaType: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${mediaType};charset=utf-8` }));
  save(url, fileName);
  revokeLater(url);
}
