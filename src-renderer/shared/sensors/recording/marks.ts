/** Why samples are missing, as the recording format and the importers name it. */
export type GapReason = 'LINK_LOST' | 'LOST_BLOCK' | 'NO_CONTACT' | 'SENSOR_RESTART';
