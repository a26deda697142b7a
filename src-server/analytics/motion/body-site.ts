import type { BodySite } from '../types.ts';

const SITES: Record<string, BodySite> = {
  MEDIAL_CHEST: 'chest',
  ECG_LEAD_I: 'chest',
  ECG_LEAD_II: 'chest',
  ECG_LEAD_III: 'chest',
  PECTORALIS: 'chest',
  STERNUM: 'chest',
  CHEST: 'chest',
  ANTERIOR_THIGH: 'thigh',
  LATERAL_THIGH: 'thigh',
  RECTUS_FEMORIS: 'thigh',
  VASTUS_LATERALIS: 'thigh',
  BICEPS_FEMORIS: 'thigh',
  THIGH: 'thigh',
  SACRUM: 'back',
  LOWER_BACK: 'back',
  HIP: 'waist',
  WAIST: 'waist',
  WRIST: 'wrist',
};

/** The body site of a location in the API such as `MEDIAL_CHEST`; `other` for places of which no rule is published. */
export function bodySiteOf(location: string): BodySite {
  return SITES[location.trim().toUpperCase()] ?? 'other';
}
