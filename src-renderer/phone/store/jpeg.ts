/** A picture of a queued message. */
export const jpegOf = (base64: string): Blob =>
  new Blob([Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))], { type: 'image/jpeg' });
