/** The whole codec on one platform. Nothing below `codec/`, and of `container/` nothing that this imports, needs Node. */
import { createBlockCodec } from '../codec/block.ts';
import { createPageCodec } from '../codec/page.ts';
import type { CodecPlatform } from '../codec/platform.ts';
import { createFooterCodec } from './footer.ts';
import { createHeaderCodec } from './header.ts';
import { createMarksCodec } from './marks.ts';

export function createSignalCodec(platform: CodecPlatform) {
  const blocks = createBlockCodec(platform);
  return {
    ...blocks,
    ...createPageCodec(platform, blocks),
    ...createMarksCodec(platform, blocks),
    ...createFooterCodec(platform, blocks),
    ...createHeaderCodec(platform),
  };
}

export type SignalCodec = ReturnType<typeof createSignalCodec>;
