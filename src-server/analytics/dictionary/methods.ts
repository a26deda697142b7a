/** The methods behind metrics and channels: description, sources, measured accuracy and limits. */
import { CUT_POINTS, DEFAULT_ANALYSIS_PARAMETERS } from '../../vocabulary/analysis-parameters.ts';
import { type MeasuredFigure, measuredFigures } from './measured.ts';

export const METHOD_IDS = [
  'heart_rate',
  'rmssd',
  'variability',
  'lf_hf',
  'ectopy',
  'atrial_fibrillation',
  'rhythm',
  'signal_quality',
  'respiration',
  'activity',
  'posture',
  'steps',
  'counts',
  'calibration',
  'enmo',
  'intensity',
  'sleep',
  'wrist_sleep',
  'count_sleep',
  'rest_activity',
  'sleeping_posture',
  'wear',
] as const;
export type MethodId = (typeof METHOD_IDS)[number];

/** One method, shared by the metrics and channels that it computes. */
export interface Method {
  id: MethodId;
  title: string;
  /** The processing steps in their order. */
  description: string;
  citations: readonly string[];
  /** Figures of the last accuracy bench. */
  accuracy: readonly MeasuredFigure[];
  /** Why accuracy was not measured, or not directly. */
  unmeasured?: string;
  limits: readonly string[];
}

const TASK_FORCE =
  'Task Force of ESC and NASPE. Heart rate variability: standards of measurement. Circulation 1996;93:1043.';
const LIPPONEN = 'Lipponen JA, Tarvainen MP. J Med Eng Technol 2019;43:173.';
const MOE_NILSSEN = 'Moe-Nilssen R, Helbostad JL. J Biomech 2004;37:121.';

const limit = (value: number | null): string => (value === null ? 'none' : String(value));
const METRIC_WORDS = {
  enmo: 'ENMO',
  enmoa: 'absolute ENMO',
  mad: 'MAD',
  axis1: 'vertical counts',
  vm3: 'VM3',
} as const;

const INTENSITY_TEXT = `Each epoch is compared with published cut points. A study chooses one set per place of the sensor in its definition; those marked as default apply where it chose none. Lowest values of light, moderate and vigorous: ${CUT_POINTS.map(
  ({ id, site, title, metric, epochSeconds, light, moderate, vigorous }) =>
    `${title}${DEFAULT_ANALYSIS_PARAMETERS.cutPoints[site] === id ? ' (default)' : ''}: ${limit(light)}, ${moderate}, ${limit(vigorous)} ${epochSeconds === 5 ? 'mg' : 'per minute'}, ${METRIC_WORDS[metric]}`,
).join('; ')}. Those with counts need 54 s of a minute.`;

const WORDS: Record<MethodId, Omit<Method, 'id' | 'accuracy'>> = {
  heart_rate: {
    title: 'Beats and heart rate',
    description:
      'Mains hum of 50 or 60 Hz is removed by a notch filter where it is strong enough to matter. QRS detection: band-pass of 10 to 25 Hz, rectification and a moving average over 80 ms; the threshold is a share of the level of the complexes on both sides; search-back over long intervals; T-wave rejection. A complex of unusual shape that is hardly stronger than its surroundings is rejected. R peaks are placed to a fraction of a sample. Heart rate is 60 over the mean interval of the beats that end in the bin. Intervals over a gap, next to an artefact, below 250 ms or above 4 s are excluded, never interpolated. Where four seconds of signal cancel against themselves shifted by half a period, as an oscillation at 150 to 500 per minute without QRS complexes does (VF-filter leakage), the rhythm cannot be resolved into beats: there are no beats, no heart rate and quality 0, and the results say so. With several ECGs, the one with the best signal is used, minute by minute. Without an ECG in half of a minute, the RR intervals that a strap reported are used, else the pulse intervals of an optical sensor: beats missed or counted twice are left out by the intervals alone, as are pulse intervals whose error the sensor estimates above 30 ms.',
    citations: [
      'Pan J, Tompkins WJ. IEEE Trans Biomed Eng 1985;32:230.',
      'Thakor NV, Webster JG, Tompkins WJ. IEEE Trans Biomed Eng 1984;31:702.',
      'Hamilton P. Comput Cardiol 2002;29:101.',
      'Elgendi M, Jonkman M, De Boer F. BIOSIGNALS 2010.',
      'Kuo S, Dillman R. Computer detection of ventricular fibrillation. Comput Cardiol 1978:347.',
    ],
    limits: [
      'Needs an ECG sampled at 60 Hz or more, or beat intervals.',
      'A strap gives no signal by which to check its intervals: a real pause of more than 1.75 intervals without an early beat before it is taken for a missed beat and left out.',
      'Ventricular flutter and fibrillation have no single beats to count, so none are given; episodes shorter than 4 s are not recognised. A wide ventricular tachycardia above about 200 per minute in a noisy lead is classified as flutter.',
      'Ectopic beats count towards the rate, since the heart did beat.',
    ],
  },
  rmssd: {
    title: 'RMSSD',
    description:
      'Root mean square of successive differences of intervals, from three normal beats in a row. A beat is normal when its shape correlates with the prevailing one and neither it nor a neighbour is premature with a compensatory pause; the threshold for "premature" follows from the spread of the interval changes around it. Premature beats are compared with the spread of the others, so that even every second or third beat may be ventricular. Bigeminy, trigeminy, quadrigeminy and couplets are recognised as repeating patterns of premature beats and pauses; a conducted beat in 2:1 block does not count as premature. An early beat after an ectopic one is ectopic too if the pause comes only after it, unless the first was interpolated between two sinus beats. A run of three or more fast beats that begins with one step out of a steady rhythm with P waves and ends within half a minute is ectopic, however regular. Where a lead changes permanently, the shape of most beats from then on becomes the prevailing one. Differences across an ectopic beat, an artefact, a gap or a reconnection are excluded. From RR intervals alone, an ectopic beat shows only by its timing: an early beat and its pause around the local sinus interval, a change of more than 5.2 local median changes (3.5 SD) next to an early beat, and the rules above. Where intervals change by more than a tenth from beat to beat on average, as in atrial fibrillation, where more than a third of those around are left out, or in five minutes of which less than two thirds are normal, there is no value. Pulse intervals (PPI) give none: pulse rate variability is not heart rate variability.',
    citations: [
      TASK_FORCE,
      LIPPONEN,
      'Dash S, Chon KH, Lu S, Raeder EA. Ann Biomed Eng 2009;37:1701.',
      'Schafer A, Vagedes J. Int J Cardiol 2013;166:15.',
    ],
    limits: [
      'In atrial fibrillation and flutter all intervals vary: the figure then reflects conduction, not vagal tone.',
      'In a lead whose complexes change shape with noise or breathing, normal beats are excluded: up to a sixth in the worst of the recordings listed, 2 % overall.',
      'The Heart Rate Service reports intervals in steps of 1/1024 s, which add 0.7 ms of RMSSD in quadrature: an RMSSD below 2 ms is mostly rounding.',
      'Where ectopic beats of many kinds come on a varying rhythm, some remain: the RMSSD of half an hour of records 200 and 222 of the MIT-BIH Arrhythmia Database is 7 ms above that of their normal beats (57 and 158 ms).',
      'More than 5 % of beat intervals left out is a usual limit of trust; the share of each day is in `BEAT_INTERVALS_LEFT_OUT`.',
      'The error is largest where P waves would be needed to distinguish a conducted premature beat from a sinus beat.',
      'The constants of the ectopic-beat rule were tuned on the recordings listed; the leave-one-recording-out figure shows how well they generalise.',
    ],
  },
  variability: {
    title: 'Other heart rate variability',
    description:
      'From the same normal intervals as RMSSD, in consecutive five minutes that begin at multiples of five minutes since the Unix epoch; each stands alone and gives a value only where normal intervals cover 80 % of it. SDNN: standard deviation (n - 1). pNN50: share of successive differences above 50 ms. SD1 and SD2 of the Poincaré plot: from SDNN and the standard deviation of successive differences. Sample entropy: m = 2, tolerance 0.2 standard deviations of the five minutes, natural logarithm; stretches over an excluded beat or a gap do not count. SDNN and SDANN of a day are over its five minutes with a value, SDNN with all their intervals; pNN50 of a day is over all their differences; the others are means of the five minutes.',
    citations: [
      TASK_FORCE,
      'Brennan M, Palaniswami M, Kamen P. IEEE Trans Biomed Eng 2001;48:1342.',
      'Richman JS, Moorman JR. Am J Physiol Heart Circ Physiol 2000;278:H2039.',
    ],
    unmeasured:
      'No recording with reference values was available. Tests check the code against the definitions, against random series whose sample entropy is known in closed form, and against an implementation of its own on real intervals.',
    limits: [
      'SDNN and SDANN of a day grow with the hours they cover: compare only days with 18 h or more, and see the hours behind each.',
      'In atrial fibrillation and flutter all intervals vary: the figures then reflect conduction, not vagal tone.',
      'Frequent ectopic beats leave less than 80 % normal intervals: there is no value then.',
    ],
  },
  lf_hf: {
    title: 'LF/HF and power',
    description:
      'Power from 0.04 to 0.15 Hz (LF), from 0.15 to 0.40 Hz (HF) and up to 0.40 Hz (total) of the normal intervals of five minutes, by the Lomb-Scargle periodogram at the times of the beats, without resampling; the mean is subtracted, no trend is. A sine of amplitude A has the power A²/2. LF/HF: one value per minute, for the five minutes around it. Powers: consecutive five minutes.',
    citations: [
      TASK_FORCE,
      'Lomb NR. Astrophys Space Sci 1976;39:447.',
      'Scargle JD. Astrophys J 1982;263:835.',
      'Laguna P, Moody GB, Mark RG. IEEE Trans Biomed Eng 1998;45:698.',
      'Clifford GD, Tarassenko L. IEEE Trans Biomed Eng 2005;52:630.',
    ],
    unmeasured:
      'No recording with reference values was available. Tests check the code against oscillations of known frequency and power.',
    limits: [
      'Breathing slower than 9 per minute falls into LF.',
      'From RR intervals under the same rules as RMSSD; none from pulse intervals.',
      'A slow change of the heart rate within the five minutes adds to total power.',
      'The ratio alone is not a measure of sympathetic tone; it is given because studies ask for it.',
    ],
  },
  ectopy: {
    title: 'Ectopic beats',
    description:
      'For research; not a diagnosis. Ventricular: beats whose shape differs from the prevailing QRS shape (correlation, as for RMSSD), if they come a tenth of the sinus interval early, or a pause a tenth longer than it follows, or the shape has less than half of its variance in common with the prevailing one. Not so in six or more in a row at the pace of the sinus beats beside them: there, the lead has changed or a bundle branch conducts late. Supraventricular: beats of the prevailing shape that the rules of RMSSD recognise as ectopic by their timing and that come a tenth of the sinus interval early; three or more in a row are a run. Where no P waves repeat (see Atrial fibrillation), no beat is early against a sinus rhythm, and none counts; in atrial fibrillation a beat is not ventricular by its shape alone either. Other beats of another shape are left out of variability and not counted: noise changes shapes too. Nor are beats counted whose quality, or the mean quality of the six beats before or after, is below 50 (see Signal quality). Rates are per hour of readable ECG.',
    citations: [
      LIPPONEN,
      "de Chazal P, O'Dwyer M, Reilly RB. IEEE Trans Biomed Eng 2004;51:1196.",
      'ANSI/AAMI EC57: Testing and reporting performance results of cardiac rhythm and ST segment measurement algorithms.',
      'Gouaux JL, Ashman R. Am Heart J 1947;34:366.',
    ],
    limits: [
      'In a lead whose complexes change shape, and in atrial fibrillation and flutter, normal beats are counted as ventricular: in the worst records (108 and 222 of the MIT-BIH Arrhythmia Database, with 17 and no ventricular beats) a quarter and none of those counted were right.',
      'A beat that a bundle branch conducts late has another shape too, and may be counted.',
      'A ventricular rhythm of six or more beats no faster than the sinus rhythm (accelerated idioventricular rhythm) is not counted.',
      'Supraventricular beats without P waves around them, as in nodal rhythm and flutter, are not counted: of those of record 222, one in twelve is. Those that come less than a tenth early, or in noise that hides the P waves (record 200), are missed.',
      'Early and late beats of respiratory arrhythmia, and fusion beats, may be counted as supraventricular: hold counts of a few per hour for none.',
      'A fusion beat may be counted; the figures follow AAMI and hold neither for nor against it.',
      'Not from beat intervals without an ECG.',
    ],
  },
  atrial_fibrillation: {
    title: 'Atrial fibrillation',
    description:
      'For research; not a diagnosis. Every five clean intervals, the 30 around them are judged. Clean are those between normal beats of an ECG, or all RR intervals. Irregular are intervals with a coefficient of sample entropy of -1.4 or more (COSEn, m = 1, tolerance from 30 ms on until there are five matches) and a median change from one to the next of a tenth of the interval or more; regular, those with a lower entropy or a median change below 0.067 of the interval (an RMSSD of a tenth of it). P waves: the mean correlation, over some 30 normal beats, of the signal from 290 to 60 ms before the R peak, without its mean and slope; they repeat from 0.5 on and do not below 0.25. AF: irregular, and no P waves that repeat. NONE: regular, or P waves that repeat. UNDECIDED: everything else, as where clean intervals are fewer than 30 or cover less than half of their time. An episode lasts 30 s; what is undecided for less within one is part of it. From RR intervals alone the intervals decide, and must be irregular also without early beats and the pauses after them. The burden of a day is the share of AF in decided time; its lower and upper bounds count undecided time as none and as all. Pulse intervals are not judged.',
    citations: [
      'Lake DE, Moorman JR. Am J Physiol Heart Circ Physiol 2011;300:H319.',
      'Dash S, Chon KH, Lu S, Raeder EA. Ann Biomed Eng 2009;37:1701.',
      'Hindricks G, Potpara T, Dagres N, et al. Eur Heart J 2021;42:373.',
      'Slocum J, Sahakian A, Swiryn S. J Electrocardiol 1992;25:1.',
      'Stridh M, Sornmo L. IEEE Trans Biomed Eng 2001;48:105.',
    ],
    limits: [
      'Three of the recordings listed have atrial fibrillation, so the figures may not carry over. The thresholds are published ones or round shares; none was tuned on them.',
      'Atrial flutter with constant conduction is regular and not recognised; with changing conduction it counts as atrial fibrillation. Seconds of flutter count neither for nor against in the figures.',
      'Nodal rhythm and atrial bigeminy without P waves in front of the beats pass for it: in record 222 a quarter of the time found was right.',
      'From RR intervals alone nothing shows P waves: frequent ectopic beats are undecided or pass for it (36 % of the decided time of record 208, which has none), so read the bounds.',
      'Noise that hides P waves makes irregular time undecided, as three quarters of record 200.',
      'In a paced rhythm, and in atrial fibrillation with a regular ventricular rhythm, there is no irregularity, so it is not recognised.',
    ],
  },
  rhythm: {
    title: 'Pauses, episodes and states without a rate',
    description:
      'For research; not a diagnosis. A pause is an interval of 3 s or more (unless the study chose another threshold) between two beats that stand out clearly; longer than 15 s it is taken for a lead that is off. An episode is a stretch in which the mean of eight successive intervals stays below 50 or above 100 beats/min for 30 s, or by the thresholds that the study chose, awake or asleep, at rest or moving. UNRESOLVED: four seconds or more that oscillate without QRS complexes (VF-filter leakage, see Beats and heart rate). UNREADABLE: the electrodes have contact, and no heartbeat can be read. Neither has a heart rate. The default thresholds are those of the guidelines named below.',
    citations: [
      'Kusumoto FM, Schoenfeld MH, Barrett C, et al. Circulation 2019;140:e382.',
      'Page RL, Joglar JA, Caldwell MA, et al. Circulation 2016;133:e506.',
    ],
    unmeasured:
      'No recording with reference episodes was available: of the recordings listed for beats, none is annotated so. Tests check the rules on beats of known intervals.',
    limits: [
      'Tachycardia includes exercise; compare with `activity`.',
      'An episode over midnight counts on both days, each with its part.',
      'A short heartbeat that the lead does not show lengthens an interval to a pause.',
    ],
  },
  signal_quality: {
    title: 'Signal quality',
    description:
      'Energy of each QRS complex against that of the signal between it and its neighbours: 0 at 1.6 times, 100 at 5 times or more, for the two seconds after the beat. 0 where no heartbeat can be read, where the rhythm is unresolved and where the lead is off. None where a person excluded the lead, or said that it was not worn. With several ECGs, the best in each second.',
    citations: [
      'Orphanidou C, Bonnici T, Charlton P, Clifton D, Vallance D, Tarassenko L. IEEE J Biomed Health Inform 2015;19:832.',
    ],
    unmeasured:
      'No recording with reference quality was available. Tests check that it falls with added noise and without contact.',
    limits: ['A measure of how well beats stand out from noise, not of how well P and T waves are visible.'],
  },
  respiration: {
    title: 'Respiration',
    description:
      'Breathing rotates the axis of the heart, which changes the height of the R waves, and modulates the sinus node, which changes the intervals. The spectra of both series, taken at the beat times over 64 s, are combined by their geometric mean; the common peak is the rate. Each breath also tips the chest wall: where a still chest accelerometer shows one clear peak, its spectrum is included, and it is used alone without an ECG or beyond the rates that beats can show. No value is given when less than half of the power lies within 1.5 breaths per minute of the peak.',
    citations: [
      'Moody GB, Mark RG, Zoccola A, Mantero S. Comput Cardiol 1985;12:113.',
      'Charlton PH, Bonnici T, Tarassenko L, Clifton DA, Beale R, Watkinson PJ. Physiol Meas 2016;37:610.',
      'Charlton PH, Birrenkott DA, Bonnici T, et al. IEEE Rev Biomed Eng 2018;11:2.',
      'Bates A, Ling MJ, Mann J, Arvind DK. Respiratory rate and flow waveform estimation from tri-axial accelerometer data. BSN 2010.',
    ],
    limits: [
      'Between 8 and 32 breaths per minute.',
      'Not from beat intervals alone: without the height of the R waves the error was 1.5 breaths per minute on the recordings listed, above the bar. A chest accelerometer beside a strap still gives a rate.',
      'One value per beat cannot show breathing faster than half the heart rate: an ECG without a chest accelerometer then gives too low a rate.',
      'The contribution of chest movement was measured on simulated nights only: no recording with both chest acceleration and a breathing reference was available.',
      'Given while asleep, and where sleep cannot be distinguished from waking rest, as with an ECG alone. Irregular breathing, as in apnoea, has no rate and yields no value.',
    ],
  },
  activity: {
    title: 'Activity',
    description:
      'Sensor axes are rotated into the body frame by a calibration label, else by the direction of gravity while walking. The angle of the thigh distinguishes sitting from standing, that of the trunk lying from sitting; gait rhythm (by autocorrelation), its rate and its sharpness distinguish walking, running and cycling. Stairs count as walking, shuffling as standing. Bouts too short to be physically possible are merged into the longer neighbour.',
    citations: [
      'Skotte J, Korshoj M, Kristiansen J, Hanisch C, Holtermann A. J Phys Act Health 2014;11:76.',
      MOE_NILSSEN,
    ],
    limits: [
      'With a thigh sensor alone, lying on the back is classified as sitting.',
      'A trunk sensor alone cannot distinguish sitting from standing: upright rest is classified as sitting, except in short pauses of walking, and cycling as other movement.',
      'A recording without 15 s of walking and without a calibration label shows no vertical: its postures stay unknown.',
      'A few thresholds were tuned on the recordings listed, so people unlike them may score lower.',
    ],
  },
  posture: {
    title: 'Posture of the trunk',
    description:
      "Angle between gravity and the wearer's own upright, sideways and forward, while standing, sitting or leaning. Neutral within 10 degrees; slouching from 10 to 25 degrees forward, leaning forward beyond; reclining from 10 degrees back.",
    citations: ['Skotte J, Korshoj M, Kristiansen J, Hanisch C, Holtermann A. J Phys Act Health 2014;11:76.'],
    unmeasured:
      'No recording with reference angles was available. Tests check the code against sensors mounted at known angles.',
    limits: [
      'Without a LYING label, the front is inferred from the direction in which the wearer bends, else from the z axis; left and right may then be swapped.',
    ],
  },
  steps: {
    title: 'Steps',
    description:
      'Within segments of gait rhythm, each step is the strongest peak of the vector magnitude about one step period after the previous one: the rhythm determines how many steps there are, the peaks when they occur. One sensor counts at a time, the trunk before the thigh; steps count during walking, running and other movement, never at rest or while cycling.',
    citations: ['Brajdic A, Harle R. A comparison of step detection algorithms. UbiComp 2013.', MOE_NILSSEN],
    limits: [
      'From 64 to 225 steps per minute, in bouts of three steps or more.',
      'Slower shuffling, and walking with a rollator that keeps the trunk still, is undercounted.',
    ],
  },
  counts: {
    title: 'Activity counts',
    description:
      'ActiGraph counts: acceleration at 30 Hz, the published band-pass of 0.29 to 1.63 Hz, scaling, dead band, ceiling, sums per second and axis; then the root of the summed squares of the three axes. The preferred worn sensor is used: chest, else lower back, else thigh, else waist, else any other, else a wrist. Per axis, and as VM3 (root of the summed squares of the counts of a minute of the three axes), of a wrist, waist or lower back sensor.',
    citations: ['Neishabouri A, Nguyen J, Samuelsson J, et al. Sci Rep 2022;12:11958.'],
    limits: ['Counts of different body sites are not comparable: keep the placement the same throughout a study.'],
  },
  calibration: {
    title: 'Calibration of a wrist, waist or lower back sensor',
    description:
      'Autocalibration: in windows of 10 s in which each axis has an SD below 13 mg and a mean within 2 g, acceleration is gravity alone, so its magnitude must be 1 g. Offset and gain of each axis are fitted to the unit sphere by repeated weighted least squares (weights: one over the distance, at most 100) until the change is below 1e-10 or 1000 rounds are done. The fit is used where the still windows reach beyond 0.3 g on both sides of every axis, there are at least 50 of them, and the mean error falls and ends below 10 mg. Calibrated acceleration is (recorded + offset) x gain. It is used for ENMO, MAD, the angle and wear; the samples as stored, counts and all results of chest and thigh sensors do not change. After 168 hours of data with still windows all around, more is not read.',
    citations: [
      'van Hees VT, Fang Z, Langford J, et al. J Appl Physiol 2014;117:738.',
      'Fit of Zhou Fang as published with GGIR (g.calibrate).',
    ],
    unmeasured:
      'No recording with a known error of the sensor was available. Tests recover known offsets and gains from simulated wrists and from still means all around the sphere.',
    limits: [
      'Less than that is "not calibrated": offset and gain are absent, the error before is given, and ENMO is computed as recorded. A still sensor of 30 mg offset then has up to 30 mg too much ENMO.',
      'The temperature of the sensor is not part of the fit.',
      'Earlier programs did not calibrate in `outpost analyze`, though they name version 11 as sites do, whose results have not changed. An answer without `calibration` in the channels of its recordings comes from one of them, and shows 0 still windows: analyse the file again.',
    ],
  },
  enmo: {
    title: 'ENMO and MAD',
    description:
      'Per epoch of 5 s, from every sample at its own rate, after calibration: ENMO is the mean of the vector magnitude minus 1 g with negative values set to zero, MAD the mean distance of the vector magnitude from its mean. Epochs are aligned to UTC. Only epochs with 90 % of their samples, from a sensor known to be worn, count; gaps are not filled. Of sensors at a wrist and at a waist, the site worn longest in the 24 hours to noon is used.',
    citations: [
      'van Hees VT, Gorzelniak L, Dean Leon EC, et al. PLoS ONE 2013;8:e61691.',
      'Vaha-Ypya H, Vasankari T, Husu P, Suni J, Sievanen H. Clin Physiol Funct Imaging 2015;35:64.',
    ],
    unmeasured: 'Tests check the code against signals of known ENMO and MAD.',
    limits: [
      'A rate below 30 Hz lowers ENMO, because fast movement is lost.',
      'Epochs that GGIR would impute are absent here, so the mean of a day with non-wear differs from its.',
    ],
  },
  intensity: {
    title: 'Intensity',
    description: INTENSITY_TEXT,
    citations: [...new Set(CUT_POINTS.map(({ citation }) => citation))],
    unmeasured:
      'No recording with measured energy expenditure was available: the cut points are those of their publications. Tests check the code against signals of known intensity.',
    limits: [
      'Cut points hold for the place, the age and, with counts, the device for which they were published.',
      'Time asleep counts as sedentary; SLEEPING_DURATION tells it apart.',
      'Cut points for a single axis use the axis along which gravity lies while the wearer moves.',
    ],
  },
  sleep: {
    title: 'Sleep',
    description:
      'Sustained inactivity while lying, or while resting where no trunk sensor distinguishes lying from sitting: five minutes without a posture change above 5 degrees. The first such bout of ten minutes begins a period; interruptions of up to an hour do not end it. A thigh sensor alone cannot distinguish lying on the back from sitting: its stillness counts only if, between two times on the feet, the thigh is rolled to the side for five minutes, which a seated thigh never is. A nap needs 20 minutes of stillness and a heart rate below that of seated rest. Quiet waking in bed at both ends is trimmed by the heart rate. The hour of the day plays no role. A sleep belongs wholly to the date in whose 24 hours to noon it begins, up to its true end even after noon; its seconds after noon do not count for the next date. A sleep that extends more than twelve hours on either side of a noon is split there. With a wrist sensor and none at the chest, back or thigh, sleep is that of the wrist instead (see Sleep of a wrist). Period, time awake in it (WASO) and efficiency are those of the longest period, whichever sensor it was found by; `SLEEPING_BY_CHEST`, `SLEEPING_BY_WRIST` and the like among the valid seconds of a day say by which.',
    citations: [
      'van Hees VT, Sabia S, Anderson KN, et al. PLoS ONE 2015;10:e0142533.',
      'van Hees VT, Sabia S, Jones SE, et al. Sci Rep 2018;8:12975.',
      'Lyden K, John D, Dall P, Granat MH. Differentiating sitting and lying using a thigh-worn accelerometer. Med Sci Sports Exerc 2016;48:742.',
      'Snyder F, Hobson JA, Morrison DF, Goldfrank F. J Appl Physiol 1964;19:417.',
    ],
    unmeasured:
      'No night with both polysomnography and trunk or thigh signals was available. The first kappa is that of a rule for wrist counts alone. For the second, wrist counts smoothed over ten minutes replaced the turning and stirring of the trunk in this method, so a trunk sensor should do better. Otherwise the method is checked against simulated nights.',
    limits: [
      'Lying awake and still is classified as sleep unless the heart rate shows otherwise; sleep stages are not distinguished.',
      'Efficiency and WASO of different sensors are not comparable: a trunk sensor counts turns of up to two minutes as sleep, a wrist every change of its angle as waking. Keep the placement the same throughout a study.',
      'Without acceleration there is no sleep: a heart alone shows neither stillness nor posture.',
      'Without a trunk sensor only three hours of stillness count as sleep, so naps are missed. With a thigh sensor alone, a wearer who never turns onto the side in bed has no sleep and no sleeping metrics; otherwise a day at a desk would count as sleep.',
      'A trunk or thigh sensor without a known vertical (no walking, no label) cannot distinguish lying from sitting: three hours of its stillness count as sleep.',
    ],
  },
  wrist_sleep: {
    title: 'Sleep of a wrist',
    description:
      'Without a chest, back or thigh sensor, sleep is that of the wrist. The angle of the z axis to the horizontal comes from the medians of the axes over 5 s, averaged per epoch of 5 s. HDCZA: the rolling median over 5 minutes of the absolute change of the angle; movement is above 15 times its 10th percentile in the 24 hours to noon, a threshold held between 0.13 and 0.5 degrees; blocks without movement of more than 30 minutes are joined over gaps of less than 60 minutes, and the longest is the window of the sleep period. Towards the ends of the 24 hours the rolling median is over what there is (GGIR fills it with zeros, so that 2.5 minutes count as rest). Sustained inactivity (no change above 5 degrees for more than 5 minutes) that overlaps the window is sleep, each stretch whole; the period lasts from the first to the last of it. Epochs without samples or not known to be worn count as movement. The regularity index is of the sleep of the wrist, with the sleep and wear that people corrected.',
    citations: [
      'van Hees VT, Sabia S, Jones SE, et al. Sci Rep 2018;8:12975.',
      'van Hees VT, Sabia S, Anderson KN, et al. PLoS ONE 2015;10:e0142533.',
      'Phillips AJK, Clerx WM, OBrien CS, et al. Sci Rep 2017;7:3216 (regularity).',
    ],
    unmeasured:
      'No night with both polysomnography and raw wrist acceleration was available. Tests check the code against the published test values of GGIR and against simulated nights.',
    limits: [
      'One period per 24 hours: naps are not found.',
      'Lying awake and still is sleep; a third of the 24 hours must be known.',
      'Its posture is unknown: the activity of the period is SLEEPING:LYING by convention.',
    ],
  },
  count_sleep: {
    title: 'Sleep by counts',
    description:
      'Two published scores of single minutes by the counts of the vertical axis, as ActiLife computes them, beside the sleep that the daily metrics use. Sadeh: with counts capped at 300, 7.601 - 0.065 x mean of the 11 minutes around - 1.08 x number of these from 50 to below 100 - 0.056 x standard deviation of the last 6 - 0.703 x natural logarithm of the minute plus 1; asleep above -4. Cole and Kripke: with counts over 100, capped at 300, 0.001 x (106, 54, 58, 76 for the 4 minutes before, 230 for the minute, 74, 67 for the 2 after); asleep below 1. Minutes without counts are taken for zeros in the scores of their neighbours and have none of their own.',
    citations: [
      'Sadeh A, Sharkey KM, Carskadon MA. Sleep 1994;17:201.',
      'Cole RJ, Kripke DF, Gruen W, Mullaney DJ, Gillin JC. Sleep 1992;15:461.',
    ],
    unmeasured:
      'Against polysomnography neither was measured here: no night with counts of an ActiGraph was available. Both scores equal those of ActiLife 6 in all of 1500 minutes of a GT3X+.',
    limits: [
      'Neither looks for a time in bed: rest by day is asleep too, and rescoring by Webster or sleep periods by Tudor-Locke are not applied.',
      'Published for a wrist; on a hip they overestimate sleep.',
    ],
  },
  rest_activity: {
    title: 'Rhythm of rest and activity',
    description:
      'Without a model. M10 and L5 are the ten consecutive hours of the local day with the highest mean ENMO and the five with the lowest, moved minute by minute; the earliest of equal ones. Relative amplitude is their difference over their sum. Interdaily stability and intradaily variability use the hourly means of ENMO of the whole recording, hours of UTC worn at least half; each hour of the day weighs by the number of its values, which with whole days gives the published stability. Wear is by the rule of the study and by what people corrected, so a correction of the wear of one hour changes the figures of all days of the recording.',
    citations: [
      'Witting W, Kwa IH, Eikelenboom P, Mirmiran M, Swaab DF. Biol Psychiatry 1990;27:563.',
      'Van Someren EJW, Swaab DF, Colenda CC, et al. Chronobiol Int 1999;16:505.',
    ],
    unmeasured:
      'Tests check the code against series of known stability and variability and the published test values of GGIR.',
    limits: [
      'L5 within a calendar day may begin in one night and end in the rest of the next evening only by chance: studies of shift workers should use the 24 hours to noon.',
      'Hours do not follow a change of clocks inside a recording.',
    ],
  },
  sleeping_posture: {
    title: 'Sleeping posture',
    description:
      'Roll of the trunk about its long axis while asleep, in eighths of a turn: back, left, chest, right, and two joined by / between them. A posture held for less than a minute counts as movement.',
    citations: ['Skotte J, Korshoj M, Kristiansen J, Hanisch C, Holtermann A. J Phys Act Health 2014;11:76.'],
    unmeasured:
      'No recording with reference postures in bed was available. Tests check the code against sensors at known angles.',
    limits: ['Needs a trunk sensor of known orientation; see posture for how its front is found.'],
  },
  wear: {
    title: 'Wear',
    description:
      'In sliding windows of 60 minutes, moved by 15, a sensor is off when two of three axes have an SD below 13 mg or a range below 50 mg. A chest sensor whose ECG shows a heartbeat, or a trunk sensor that shows breathing, is worn however still the wearer lies. A chest patch whose ECG shows no heartbeat for five minutes, and which shows neither movement nor breathing meanwhile, is off. A limb sensor that is still for an hour is off if the trunk sensor is off too; alone, after three hours. A wrist or waist sensor is off by the rule of van Hees on its samples alone: both limits, in two of three axes, in windows that begin on quarters of an hour of UTC. All 60 minutes of such a window are off, as in GGIR since its release 2.9-2 (`nonwear_approach = "2023"`); the publication of 2013 marked the 15 minutes in its middle only, and so misses 22.5 minutes at either end of a time without the sensor. The rules of Choi (90 minutes of zero counts, with spikes of up to 2 minutes amid 30 zero minutes) on the vector magnitude, and Troiano (60 minutes of zeros, with up to 2 minutes of at most 100 counts) on the vertical axis, for which its limit was published, apply instead where the study chose one of them. Time without samples, as of an idle device, is not known to be worn. A strap or optical sensor without acceleration is worn in seconds that reported intervals cover; at other times it is not known to be worn, which counts as not worn.',
    citations: [
      'van Hees VT, Gorzelniak L, Dean Leon EC, et al. PLoS ONE 2013;8:e61691.',
      'Choi L, Liu Z, Matthews CE, Buchowski MS. Med Sci Sports Exerc 2011;43:357.',
      'Choi L, Ward SC, Schnelle JF, Buchowski MS. Med Sci Sports Exerc 2012;44:2009.',
      'Troiano RP, Berrigan D, Dodd KW, et al. Med Sci Sports Exerc 2008;40:181.',
    ],
    unmeasured:
      'No recording with reference wear times was available. The code is checked by tests and against simulated days.',
    limits: ['A sensor without an ECG that is taken off for less than an hour is not recognised as off.'],
  },
};

/** All methods with the figures of the last accuracy bench. */
export const METHODS: readonly Method[] = METHOD_IDS.map((id) => ({
  id,
  ...WORDS[id],
  accuracy: measuredFigures(id),
}));
