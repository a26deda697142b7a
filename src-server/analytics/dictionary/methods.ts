/** How each kind of figure is made, after whom, how well it did on real recordings, and what it cannot do. */
import { type MeasuredFigure, measuredFigures } from './measured.ts';

export const METHOD_IDS = [
  'heart_rate',
  'rmssd',
  'lf_hf',
  'respiration',
  'activity',
  'posture',
  'steps',
  'counts',
  'sleep',
  'sleeping_posture',
  'wear',
] as const;
export type MethodId = (typeof METHOD_IDS)[number];

/** One method: everything that the metrics and channels made by it share. */
export interface Method {
  id: MethodId;
  title: string;
  /** What is done with the signal, in the order it is done. */
  description: string;
  citations: readonly string[];
  /** Figures of the last accuracy bench. */
  accuracy: readonly MeasuredFigure[];
  /** What stands in place of a figure where no reference was at hand. */
  unmeasured?: string;
  limits: readonly string[];
}

const TASK_FORCE =
  'Task Force of ESC and NASPE. Heart rate variability: standards of measurement. Circulation 1996;93:1043.';
const LIPPONEN = 'Lipponen JA, Tarvainen MP. J Med Eng Technol 2019;43:173.';
const MOE_NILSSEN = 'Moe-Nilssen R, Helbostad JL. J Biomech 2004;37:121.';

const WORDS: Record<MethodId, Omit<Method, 'id' | 'accuracy'>> = {
  heart_rate: {
    title: 'Beats and heart rate',
    description:
      'Mains hum is taken out where there is any to speak of. Band-pass 10 to 25 Hz and the mean energy over 80 ms; a complex reaches a share of the level of those around it on both sides; search back over long intervals; T waves rejected. A complex of unusual shape that is little stronger than its surroundings is rejected. R peaks are placed to a fraction of a sample. Heart rate is 60 over the mean interval of the beats that end in the bin. Intervals over a gap, beside an artefact, below 250 ms or above 4 s are left out, never filled in. Four seconds whose samples cancel out half a period apart, as those of an oscillation at 150 to 500 per minute without QRS complexes do (leakage of the VF filter), are a rhythm that cannot be resolved into beats: they have no beats, no rate and quality 0, and the answers say so. With several ECGs the one with the best signal serves, minute by minute.',
    citations: [
      'Pan J, Tompkins WJ. IEEE Trans Biomed Eng 1985;32:230.',
      'Thakor NV, Webster JG, Tompkins WJ. IEEE Trans Biomed Eng 1984;31:702.',
      'Hamilton P. Comput Cardiol 2002;29:101.',
      'Elgendi M, Jonkman M, De Boer F. BIOSIGNALS 2010.',
      'Kuo S, Dillman R. Computer detection of ventricular fibrillation. Comput Cardiol 1978:347.',
    ],
    limits: [
      'Needs an ECG of 60 Hz or more.',
      'Ventricular flutter and fibrillation have no single beats to count, and none are given; stretches shorter than 4 s are not recognised. A wide ventricular tachycardia above some 200 per minute in a noisy lead is taken for flutter.',
      'Ectopic beats count in the rate, since the heart did beat.',
    ],
  },
  rmssd: {
    title: 'RMSSD',
    description:
      'Root of the mean squared difference of successive intervals, from three normal beats in a row. A beat is normal when its shape correlates with the usual one and neither it nor its neighbours come early and are made up for by a pause; how early follows from the spread of the intervals around. A beat that comes early is compared with the spread of the beats that do not, so that every second or third beat may be ventricular. A pattern of early beats and pauses that repeats is found by its repetition (bigeminy, trigeminy, quadrigeminy, couplets); a blocked rhythm that conducts one beat in time is not taken for early beats. Where a lead changes for good, the shape of most beats from then on is the usual one. Differences across an ectopic beat, an artefact or a gap are left out.',
    citations: [TASK_FORCE, LIPPONEN],
    limits: [
      'In atrial fibrillation and flutter every interval is its own: the figure then tells of the conduction, not of the vagus.',
      'A lead whose complexes change shape with noise or breathing has normal beats left out: up to a sixth in the worst recording named, 2 % over all.',
      'The error is largest where P waves would be needed to tell a conducted early beat from a sinus beat.',
      'The constants of the ectopic rule were set on the recordings named; the left-out figure shows what that is worth.',
    ],
  },
  lf_hf: {
    title: 'LF/HF',
    description:
      'Power from 0.04 to 0.15 Hz over power from 0.15 to 0.40 Hz of the normal intervals of five minutes, by the Lomb-Scargle periodogram at the times of the beats themselves, so nothing is resampled. One value per minute, for the five minutes around it.',
    citations: [
      TASK_FORCE,
      'Lomb NR. Astrophys Space Sci 1976;39:447.',
      'Scargle JD. Astrophys J 1982;263:835.',
      'Laguna P, Moody GB, Mark RG. IEEE Trans Biomed Eng 1998;45:698.',
      'Clifford GD, Tarassenko L. IEEE Trans Biomed Eng 2005;52:630.',
    ],
    unmeasured:
      'No recording at hand has reference values. The code is held by tests to swings of known frequency and power.',
    limits: [
      'Breathing slower than 9 per minute falls into LF.',
      'The ratio is not a measure of sympathetic tone by itself; it is given because studies ask for it.',
    ],
  },
  respiration: {
    title: 'Respiration',
    description:
      'Breathing turns the axis of the heart, which changes the height of the R waves, and modulates the sinus node, which changes the intervals. Both series are taken at the times of the beats; their spectra over 64 s are joined by the geometric mean; the common peak is the rate. Each breath also tips the chest wall: where a still chest accelerometer shows one clear peak, its spectrum joins in, and speaks alone without an ECG or beyond what the beats can show. Silent when less than half of the power lies within 1.5 breaths per minute of the peak.',
    citations: [
      'Moody GB, Mark RG, Zoccola A, Mantero S. Comput Cardiol 1985;12:113.',
      'Charlton PH, Bonnici T, Tarassenko L, Clifton DA, Beale R, Watkinson PJ. Physiol Meas 2016;37:610.',
      'Charlton PH, Birrenkott DA, Bonnici T, et al. IEEE Rev Biomed Eng 2018;11:2.',
      'Bates A, Ling MJ, Mann J, Arvind DK. Respiratory rate and flow waveform estimation from tri-axial accelerometer data. BSN 2010.',
    ],
    limits: [
      'Between 8 and 32 breaths per minute.',
      'One value per beat cannot show breathing faster than half the heart rate: an ECG without a chest accelerometer then gives a rate that is too low.',
      'The part of the chest movement has been measured on simulated nights only: no recording at hand has it with a reference of breathing.',
      'Given asleep, and where nothing tells sleep from waking rest, as with an ECG alone. Breathing without an even rhythm, such as in apnoea, has no rate and gives none.',
    ],
  },
  activity: {
    title: 'Activity',
    description:
      'Sensors are turned into the frame of the body by a calibration label, else by the direction of gravity while walking. The angle of the thigh tells sitting from standing, that of the trunk lying from sitting; gait rhythm by autocorrelation, its rate and its sharpness tell walking, running and cycling. Stairs count as walking, shuffling as standing. Bouts shorter than a body can do are joined to the longer neighbour.',
    citations: [
      'Skotte J, Korshoj M, Kristiansen J, Hanisch C, Holtermann A. J Phys Act Health 2014;11:76.',
      MOE_NILSSEN,
    ],
    limits: [
      'A thigh alone takes lying on the back for sitting.',
      'A trunk alone does not tell sitting from standing: upright rest is called sitting but in pauses of walking. It sees cycling as other movement.',
      'A recording without 15 s of walking and without a calibration label shows no vertical: its postures stay unknown.',
      'A few thresholds were chosen while looking at the recordings named, so people unlike them may score lower.',
    ],
  },
  posture: {
    title: 'Posture of the trunk',
    description:
      "Angle between gravity and the wearer's own upright, to the side and forward, while standing, sitting or leaning. Neutral within 10 degrees; slouching from 10 to 25 degrees forward, leaning forward beyond; reclining from 10 degrees back.",
    citations: ['Skotte J, Korshoj M, Kristiansen J, Hanisch C, Holtermann A. J Phys Act Health 2014;11:76.'],
    unmeasured:
      'No recording at hand has reference angles. The code is held by tests to sensors mounted at known angles.',
    limits: [
      'Without a LYING label the front is taken from how people bend, else from the z axis; left and right may then be exchanged.',
    ],
  },
  steps: {
    title: 'Steps',
    description:
      'Within stretches of gait rhythm each step is the strongest peak of the vector magnitude about one step period after the last one: the rhythm decides how many there are, the peaks decide when. One sensor at a time counts, the trunk before the thigh; steps count while walking, running and in other movement, never at rest or while cycling.',
    citations: ['Brajdic A, Harle R. A comparison of step detection algorithms. UbiComp 2013.', MOE_NILSSEN],
    limits: [
      'From 64 to 225 steps per minute, in bouts of three steps and more.',
      'Slower shuffling, and walking with a rollator that keeps the trunk still, is undercounted.',
    ],
  },
  counts: {
    title: 'Activity counts',
    description:
      'ActiGraph counts: acceleration at 30 Hz, the published band-pass of 0.29 to 1.63 Hz, scaling, dead band, ceiling, sums per second and axis; then the root of the summed squares of the three axes. The preferred worn sensor counts: chest, else lower back, else thigh, else any other.',
    citations: ['Neishabouri A, Nguyen J, Samuelsson J, et al. Sci Rep 2022;12:11958.'],
    limits: ['Counts of different body sites are not comparable: keep the placement over a study.'],
  },
  sleep: {
    title: 'Sleep',
    description:
      'Lying, or resting where no trunk sensor tells lying from sitting, without a posture change above 5 degrees for five minutes. The first such bout of ten minutes begins a period; interruptions up to an hour do not end it. A thigh alone sees lying on the back and sitting alike: its stillness counts only between one time on the feet and the next, and only if the thigh is seen rolled to the side for five minutes in between, which a seated thigh never is. A nap needs 20 minutes of stillness and a heart slower than at seated rest. Quiet waking in bed at both ends is taken off by the heart rate. Hours of the day play no part. A sleep belongs wholly to the date in whose 24 hours to noon it begins, to its true end even where that is after noon; the seconds of it after noon do not count for the next date. One that spreads over more than twelve hours on either side of a noon is split there.',
    citations: [
      'van Hees VT, Sabia S, Anderson KN, et al. PLoS ONE 2015;10:e0142533.',
      'van Hees VT, Sabia S, Jones SE, et al. Sci Rep 2018;8:12975.',
      'Lyden K, John D, Dall P, Granat MH. Differentiating sitting and lying using a thigh-worn accelerometer. Med Sci Sports Exerc 2016;48:742.',
      'Snyder F, Hobson JA, Morrison DF, Goldfrank F. J Appl Physiol 1964;19:417.',
    ],
    unmeasured:
      'No night with polysomnography and trunk or thigh signals was at hand. The first kappa given is that of a rule for wrist counts alone. For the second the periods of this method were found with wrist counts, spread over ten minutes, in place of a trunk that turns and stirs, so a trunk sensor should do better; otherwise they are held to simulated nights.',
    limits: [
      'Lying awake and still is taken for sleep unless the heart tells otherwise; sleep stages are not told.',
      'Without a trunk sensor only three hours of stillness count as sleep, so naps are missed. By a thigh alone, somebody who never turns onto the side in bed has no sleep, and no sleeping metric is given, rather than a day at a desk taken for sleep.',
      'A trunk or thigh that shows no vertical (no walking, no label) tells lying from sitting in no way: three hours of its stillness are taken for sleep.',
    ],
  },
  sleeping_posture: {
    title: 'Sleeping posture',
    description:
      'Roll of the trunk about its long axis while asleep, in eighths of a turn: back, left, chest, right, and two joined by / between them. A posture held for less than a minute is a movement.',
    citations: ['Skotte J, Korshoj M, Kristiansen J, Hanisch C, Holtermann A. J Phys Act Health 2014;11:76.'],
    unmeasured:
      'No recording at hand has reference postures in bed. The code is held by tests to sensors at known angles.',
    limits: ['Needs a trunk sensor of known orientation; see posture for what its front is taken from.'],
  },
  wear: {
    title: 'Wear',
    description:
      'Over 60 minutes, moved on by 15, a sensor is off when two of three axes have an SD below 13 mg or a range below 50 mg. A chest that sees a heart, or a trunk that breathes, is worn however still its wearer lies. A chest patch whose ECG sees no heart for five minutes, and which neither moves nor breathes meanwhile, is off. A limb that lies still for an hour is off when the trunk is off too, alone after three hours.',
    citations: ['van Hees VT, Gorzelniak L, Dean Leon EC, et al. PLoS ONE 2013;8:e61691.'],
    unmeasured: 'No recording at hand marks when it was worn. The code is held by tests and by simulated days.',
    limits: ['Taking a sensor without ECG off for less than an hour is not seen.'],
  },
};

/** All methods with the figures of the last accuracy bench. */
export const METHODS: readonly Method[] = METHOD_IDS.map((id) => ({
  id,
  ...WORDS[id],
  accuracy: measuredFigures(id),
}));
