/** Physical values of counts as text. */
import { valueOfCount } from '../signals/index.ts';
import type { SignalChannel } from '../signals/types.ts';

/** Distinct values whose text is remembered per dimension: all of a 16 bit sensor. */
const REMEMBERED_TEXTS = 65_536;

/** Text of the value of each count, remembered where counts repeat. */
export function textOfCounts(
  channel: SignalChannel,
  dimension: number,
  write: (value: number) => string = String,
): (count: number) => string {
  const toValue = valueOfCount(channel, dimension);
  if (channel.sampleBits === 32) return (count) => write(toValue(count));
  const texts = new Array<string | undefined>(REMEMBERED_TEXTS);
  return (count) => {
    let text = texts[count + 32_768];
    if (text === undefined) {
      text = write(toValue(count));
      texts[count + 32_768] = text;
    }
    return text;
  };
}
