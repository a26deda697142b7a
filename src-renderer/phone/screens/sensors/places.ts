/** Where on the body a sensor is worn: the place for the words, and the point on our figure. */
import type { PhoneSensor } from '../../model.ts';
import { useWords, type WordKey } from '../../words/words.ts';

type PlaceName = Extract<WordKey, `sensors.places.${string}`> extends `sensors.places.${infer Name}` ? Name : never;

export interface Place {
  name: PlaceName;
  view: 'front' | 'back';
  /**
   * Point on the figure of 120 by 300, for the middle of the body or the subject's left. In the front view the subject's left
   * is at the right of the picture.
   */
  x: number;
  y: number;
  hasSide: boolean;
}

const at = (name: PlaceName, view: Place['view'], x: number, y: number, hasSide = true): Place => ({
  name,
  view,
  x,
  y,
  hasSide,
});

const CHEST = at('CHEST', 'front', 60, 82, false);
const CHEST_SIDE = at('CHEST_SIDE', 'front', 71, 80);
const LOWER_BACK = at('LOWER_BACK', 'back', 60, 138, false);
const THIGH = at('THIGH', 'front', 72, 188);
const SHANK = at('SHANK', 'front', 78, 240);
const FOOT = at('FOOT', 'front', 72, 288);
const UPPER_ARM = at('UPPER_ARM', 'front', 90, 92);
const FOREARM = at('FOREARM', 'front', 97, 130);
const FOREARM_BACK = at('FOREARM_BACK', 'back', 23, 130);
const HAND = at('HAND', 'back', 19, 166);
const HEAD = at('HEAD', 'front', 60, 16, false);
const OTHER = at('OTHER', 'front', 60, 82, false);

/** By the location codes of the interface; what is not here is worn as the study team showed it. */
const PLACES: Readonly<Record<string, Place>> = {
  MEDIAL_CHEST: CHEST,
  CHEST,
  STERNUM: CHEST,
  PECTORALIS: CHEST_SIDE,
  ECG_LEAD_I: CHEST,
  ECG_LEAD_II: CHEST,
  ECG_LEAD_III: CHEST,
  SACRUM: LOWER_BACK,
  LOWER_BACK,
  HIP: at('HIP', 'front', 79, 142),
  ANTERIOR_THIGH: THIGH,
  THIGH,
  RECTUS_FEMORIS: THIGH,
  LATERAL_THIGH: at('THIGH_SIDE', 'front', 80, 186),
  VASTUS_LATERALIS: at('THIGH_SIDE', 'front', 79, 200),
  BICEPS_FEMORIS: at('THIGH_BACK', 'back', 48, 190),
  PROXIMAL_LATERAL_SHANK: SHANK,
  DISTAL_LATERAL_SHANK: at('SHANK', 'front', 76, 262),
  SHANK,
  TIBIALIS_ANTERIOR: at('SHIN', 'front', 72, 244),
  GASTROCNEMIUS: at('CALF', 'back', 48, 238),
  ANKLE: at('ANKLE', 'front', 72, 276),
  DORSAL_FOOT: FOOT,
  FOOT,
  BICEP: UPPER_ARM,
  BICEPS_BRACHII: UPPER_ARM,
  UPPER_ARM,
  TRICEPS_BRACHII: at('UPPER_ARM_BACK', 'back', 30, 92),
  FLEXOR_DIGITORUM: FOREARM,
  FOREARM,
  EXTENSOR_DIGITORUM: FOREARM_BACK,
  POSTERIOR_FOREARM: FOREARM_BACK,
  WRIST: at('WRIST', 'back', 20, 150),
  DORSAL_HAND: HAND,
  HAND,
  FOREHEAD: HEAD,
  HEAD,
  NECK: at('NECK', 'back', 60, 44, false),
};

export const placeOf = (location: string): Place => PLACES[location] ?? OTHER;

export const isKnownPlace = (location: string): boolean => PLACES[location] !== undefined;

/** Width of the figure, for mirroring. */
export const FIGURE_WIDTH = 120;

/** The marked points of a sensor: one, or both sides where either will do. */
export function pointsOf({ location, side }: Pick<PhoneSensor, 'location' | 'side'>): { x: number; y: number }[] {
  const { x, y, hasSide } = placeOf(location);
  const left = { x, y };
  const right = { x: FIGURE_WIDTH - x, y };
  if (!hasSide) return [left];
  if (side === 'LEFT') return [left];
  if (side === 'RIGHT') return [right];
  return [left, right];
}

/** "Left front of the thigh" in the words of the subject. */
export function usePlaceText(): (sensor: Pick<PhoneSensor, 'location' | 'side'>) => string {
  const { t, language } = useWords();
  return ({ location, side }) => {
    const place = placeOf(location);
    const text = t(`sensors.places.${place.name}`);
    if (!place.hasSide || side === 'NONE' || side === 'ANY') return text;
    const placed = language === 'en' ? text.charAt(0).toLowerCase() + text.slice(1) : text;
    return t('sensors.place', { side: t(`sensors.sides.${side}`), place: placed });
  };
}
