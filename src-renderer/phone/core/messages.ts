/** Messages and problems as they are queued. The site takes one picture with a message: further ones follow as messages of their own. */
import type { Stamp } from '../clock/epochs.ts';
import { PhoneFailure } from '../store/failure.ts';
import type { MessageContent, OutboxRecord } from '../store/records.ts';

export interface OutgoingText {
  body: string;
  pictures: readonly Blob[];
  problem?: MessageContent['problem'];
}

/** As base64 this is what the site takes. */
const MOST_PICTURE_BYTES = 5_900_000;
const TITLE_CHARACTERS = 40;

async function base64Of(picture: Blob): Promise<string> {
  if (picture.size > MOST_PICTURE_BYTES || picture.type !== 'image/jpeg')
    throw new PhoneFailure('INVALID_INPUT', 'The picture must be a JPEG of at most 5.9 MB.');
  const bytes = new Uint8Array(await picture.arrayBuffer());
  const parts: string[] = [];
  // All bytes as arguments at once would be too many for a call.
  for (let at = 0; at < bytes.length; at += 0x8000) parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(parts.join(''));
}

/** @throws INVALID_INPUT for an empty message, and for a picture that the site would not take */
export async function messageRecords(
  { body, pictures, problem }: OutgoingText,
  created: Stamp,
  newId: () => string,
): Promise<OutboxRecord[]> {
  const text = body.trim();
  if (text === '' && pictures.length === 0 && !problem)
    throw new PhoneFailure('INVALID_INPUT', 'Write something first.');
  const title = text.slice(0, TITLE_CHARACTERS);
  const [first, ...more] = await Promise.all(pictures.map(base64Of));
  const record = (content: Omit<MessageContent, 'created'>): OutboxRecord => ({
    kind: 'MESSAGE',
    id: newId(),
    title,
    created,
    message: { ...content, created },
  });
  const image = (base64: string) => ({ id: newId(), base64 });
  return [
    record({ body: text, ...(problem && { problem }), ...(first !== undefined && { image: image(first) }) }),
    ...more.map((base64) => record({ body: '', image: image(base64) })),
  ];
}
