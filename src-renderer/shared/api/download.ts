/** Files for the person at the desk. CSV needs the credentials of the request, so it goes through a blob. */

function save(href: string, fileName?: string): void {
  const link = document.createElement('a');
  link.href = href;
  if (fileName !== undefined) link.download = fileName;
  link.rel = 'noopener';
  document.body.append(link);
  link.click();
  link.remove();
}

/** Saves the body of an authorized answer under a name. */
export async function saveResponse(response: Response, fileName: string): Promise<void> {
  const url = URL.createObjectURL(await response.blob());
  save(url, fileName);
  // The browser reads the blob after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Lets the browser fetch a signed address by itself: large files never pass through the page. */
export function openSigned(href: string): void {
  save(href);
}

/** A name that every file system takes. */
export function fileName(...parts: string[]): string {
  return parts.join('_').replace(/[\\/:*?"<>|\s]+/g, '-');
}

/** Saves a text that the page made. */
export function saveText(text: string, fileName: string, mediaType: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${mediaType};charset=utf-8` }));
  save(url, fileName);
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
