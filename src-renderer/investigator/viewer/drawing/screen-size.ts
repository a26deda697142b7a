/** Physical size of the display, calibrated with a bank card and stored with the preferences on this computer. */
import { preferences, setPreference } from '../../../shared/preferences.ts';
import { useStore } from '../../../shared/store.ts';
import { CSS_PX_PER_MM } from './grid.ts';
import { useDeviceRatio } from './use-painting.ts';

/** Identifies a display by its device pixels, which page zoom does not change. */
const displayKey = (ratio: number) =>
  `${Math.round(window.screen.width * ratio)}x${Math.round(window.screen.height * ratio)}`;

/** CSS pixels per millimetre on the display of the window. `calibrate(null)` restores the CSS default. */
export function usePxPerMm(): { pxPerMm: number; calibrate: (pxPerMm: number | null) => void } {
  const ratio = useDeviceRatio();
  const { displays } = useStore(preferences);
  const calibrated = displays[displayKey(ratio)];
  return {
    pxPerMm: calibrated === undefined ? CSS_PX_PER_MM : calibrated / ratio,
    calibrate: (pxPerMm) => {
      const { [displayKey(ratio)]: _, ...others } = displays;
      setPreference('displays', pxPerMm === null ? others : { ...others, [displayKey(ratio)]: pxPerMm * ratio });
    },
  };
}
