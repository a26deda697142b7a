/** Files with the structure of a JPEG, of any size: what the site looks at, without a picture that a viewer could show. */

const segment = (marker: number, content: Uint8Array | number[]): Buffer => {
  const length = content.length + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), Buffer.from(content)]);
};

/** @param sizeBytes at least; filled with comments whose content `fill` gives */
export function testJpeg({ width = 640, height = 480, sizeBytes = 0, fill = 0x41 } = {}): Buffer {
  const parts: Buffer[] = [Buffer.from([0xff, 0xd8])];
  for (let left = sizeBytes; left > 0; left -= 60_000) {
    parts.push(segment(0xfe, Buffer.alloc(Math.min(left, 60_000), fill)));
  }
  parts.push(segment(0xc0, [8, height >> 8, height & 0xff, width >> 8, width & 0xff, 1, 1, 0x11, 0]));
  parts.push(segment(0xda, [1, 1, 0, 0, 63, 0]), Buffer.from([0x12, 0x34, 0xff, 0xd9]));
  return Buffer.concat(parts);
}
