/** Physical values of counts as text. */
import { valueOfCount } from '../signals/index.ts';
import type { SignalChannel } from '../signals/types.ts';

/** Cached texts per dimension: enough for all counts of a 16-bit sensor. */
const REMEMBERED_TEXTS = 65_536;

/** Returns a memoised function from a count to the text of its physical value. */
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
