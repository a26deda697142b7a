/** True millimetres: what a bank card told of each display, kept with the person's other choices on this computer. */
import { preferences, setPreference } from '../../../shared/preferences.ts';
import { useStore } from '../../../shared/store.ts';
import { CSS_PX_PER_MM } from './grid.ts';
import { useDeviceRatio } from './use-painting.ts';

/** A display is told by its own pixels, which zooming a page does not change. */
const displayKey = (ratio: number) =>
  `${Math.round(window.screen.width * ratio)}x${Math.round(window.screen.height * ratio)}`;

/** CSS pixels per millimetre on the display that shows the window, and how to set them; null goes back to what CSS defines. */
export function usePxPerMm(): { pxPerMm: number; calibrate: (pxPerMm: number | null) => void } {
  const ratio = useDeviceRatio();
  const { displays } = useStore(preferences);
  const known = displays[displayKey(ratio)];
  return {
    pxPerMm: known === undefined ? CSS_PX_PER_MM : known / ratio,
    calibrate: (pxPerMm) => {
      const { [displayKey(ratio)]: _, ...others } = displays;
      setPreference('displays', pxPerMm === null ? others : { ...others, [displayKey(ratio)]: pxPerMm * ratio });
    },
  };
}
