/**
 * A picture of the camera or library, made ready to send: at most 1600 px, JPEG, encoded again from its pixels. So nothing of
 * the file itself is sent: no place, no time, no name of the phone.
 */

/** Longest side of a picture that is sent, in pixels. */
export const LONGEST_SIDE_PX = 1600;
const QUALITY = 0.82;

export class UnreadablePicture extends Error {
  readonly code = 'UNREADABLE';
}

/** Width and height inside the longest side; smaller pictures stay as they are. */
export function fittedSize(
  width: number,
  height: number,
  longest = LONGEST_SIDE_PX,
): { width: number; height: number } {
  const scale = Math.min(1, longest / Math.max(width, height, 1));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** @throws UnreadablePicture for a file that this browser cannot decode, such as HEIC outside of Safari */
export async function preparePicture(file: Blob): Promise<Blob> {
  let picture: ImageBitmap;
  try {
    // Turns the picture as its EXIF says; the note itself does not survive.
    picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
  } catch {
    throw new UnreadablePicture('The browser cannot decode this picture.');
  }
  const { width, height } = fittedSize(picture.width, picture.height);
  try {
    return await encode(picture, width, height);
  } finally {
    picture.close();
  }
}

async function encode(picture: ImageBitmap, width: number, height: number): Promise<Blob> {
  if ('OffscreenCanvas' in globalThis) {
    const canvas = new OffscreenCanvas(width, height);
    drawOnto(canvas.getContext('2d'), picture, width, height);
    return await canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY });
  }
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  drawOnto(canvas.getContext('2d'), picture, width, height);
  return await new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new UnreadablePicture('The picture could not be encoded.'))),
      'image/jpeg',
      QUALITY,
    ),
  );
}

function drawOnto(
  context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D | null,
  picture: ImageBitmap,
  width: number,
  height: number,
): void {
  if (!context) throw new UnreadablePicture('The browser offers no canvas.');
  // JPEG has no transparency: what is clear becomes paper, not black.
  context.fillStyle = 'white';
  context.fillRect(0, 0, width, height);
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, 0, 0, width, height);
}
