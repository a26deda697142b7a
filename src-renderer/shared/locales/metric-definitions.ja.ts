import { epochDefinitions } from './epoch-definitions.ja.ts';

/**
 * The Japanese words of the daily metrics. The English ones come from the site itself (`/metric_definitions`), which holds
 * the one table; the test beside this file keeps the names complete.
 */
export interface MetricWords {
  definition: string;
  minimumData: string;
}

const STATES = { MOVING: '活動時', RESTING: '安静時', SLEEPING: '睡眠時' } as const;
const KINDS = { AVG: '平均', MIN: '最低値', MAX: '最高値' } as const;
const KNOWN_ACTIVITY = '装着した加速度センサーで、活動を1秒以上判定できること';
const KNOWN_TRUNK = '向きの分かる体幹のセンサーを、安静時に1秒以上装着していること';

function heart(state: keyof typeof STATES): [string, MetricWords][] {
  return (Object.keys(KINDS) as (keyof typeof KINDS)[]).flatMap((kind): [string, MetricWords][] => [
    [
      `${state}_${kind}_HR`,
      {
        definition:
          kind === 'AVG'
            ? `${STATES[state]}の心拍数。条件を満たすすべての分について、拍数を有効な心拍間隔の時間で割った値。`
            : `${STATES[state]}の1分ごとの心拍数の${KINDS[kind]}。`,
        minimumData: 'その状態での有効な心拍間隔が30秒以上ある1分間',
      },
    ],
    [
      `${state}_${kind}_HRV`,
      {
        definition: `${STATES[state]}の各分の前後5分間のLF/HF（Lomb-Scargle法）の${KINDS[kind]}。`,
        minimumData: 'その状態が30秒以上あり、前後5分間の80%以上がNN間隔（期外収縮などを除いた心拍間隔）である1分間',
      },
    ],
    [
      `${state}_${kind}_HRV_RMSSD`,
      {
        definition: `${STATES[state]}の5分ごとのNN間隔（期外収縮などを除いた心拍間隔）のRMSSDの${KINDS[kind]}${kind === 'AVG' ? '（差の個数で重み付け）' : ''}。`,
        minimumData: 'その状態で、連続するNN間隔の差が60個以上ある5分間',
      },
    ],
  ]);
}

const counts = (state: keyof typeof STATES): [string, MetricWords] => [
  `${state}_COMBINED_ACT_COUNT`,
  {
    definition: `${STATES[state]}の活動カウント（ベクトルの大きさ）の合計。`,
    minimumData: 'その状態でカウントのある1秒間',
  },
];

const duration = (name: string, definition: string, minimumData = KNOWN_ACTIVITY): [string, MetricWords] => [
  name,
  { definition, minimumData },
];

const FIVE_MINUTES = 'NN間隔（期外収縮などを除いた心拍間隔）が80%以上を占める5分間';
const LONG_TERM = 'そのような5分間が合計1時間以上（連続でなくてよい）。日と日の比較には18時間以上（Task Force 1996）';
const meanOf = (what: string) => `${what}を、NN間隔の足りる5分間ごとに求めた1日の平均。`;

const variability: readonly [string, MetricWords][] = [
  duration('HEART_SDNN', '1日のすべてのNN間隔の標準偏差。', LONG_TERM),
  duration('HEART_SDANN', '1日の5分間ごとの平均NN間隔の標準偏差。', LONG_TERM),
  duration('HEART_SDNN_INDEX', meanOf('NN間隔の標準偏差'), FIVE_MINUTES),
  duration('HEART_PNN50', '1日の連続するNN間隔の差のうち、50ミリ秒を超えるものの割合。', FIVE_MINUTES),
  duration('HEART_LF_POWER', meanOf('0.04〜0.15 Hzのパワー'), FIVE_MINUTES),
  duration('HEART_HF_POWER', meanOf('0.15〜0.40 Hzのパワー'), FIVE_MINUTES),
  duration('HEART_TOTAL_POWER', meanOf('0.40 Hz以下のパワー'), FIVE_MINUTES),
  duration('HEART_SD1', meanOf('ポアンカレプロットの対角線に直交する方向の幅'), FIVE_MINUTES),
  duration('HEART_SD2', meanOf('ポアンカレプロットの対角線方向の幅'), FIVE_MINUTES),
  duration(
    'HEART_SAMPLE_ENTROPY',
    meanOf('サンプルエントロピー（m = 2、r = 0.2 SD）'),
    `${FIVE_MINUTES}で、3つ続くNN間隔が100組以上あるもの`,
  ),
];

const ONE_ECG_HOUR = '判読できる心電図が1時間以上';
const ONE_AF_HOUR = '解析できた時間が1時間以上';
const RATE_HALF_HOUR = '有効な心拍間隔の終わる秒が合計30分以上';
const episodes = (kind: 'BRADYCARDIA' | 'TACHYCARDIA', rate: string): [string, MetricWords][] => [
  duration(
    `HEART_${kind}_EPISODES`,
    `心拍数（8間隔の平均）が30秒以上続けて${rate}だった区間の数（研究設定で変更可）。研究用。`,
    RATE_HALF_HOUR,
  ),
  duration(
    `HEART_${kind}_DURATION`,
    `心拍数が30秒以上続けて${rate}だった区間の合計時間（研究設定で変更可）。研究用。`,
    RATE_HALF_HOUR,
  ),
];

const rhythm: readonly [string, MetricWords][] = [
  duration(
    'HEART_ECTOPIC_VENTRICULAR',
    '優勢なQRS波形と異なる形の拍のうち、早期に現れるもの、休止が続くもの、または形が大きく異なるものの数。研究用。',
    ONE_ECG_HOUR,
  ),
  duration('HEART_ECTOPIC_VENTRICULAR_RATE', '同じ拍の、判読できる心電図1時間あたりの数。研究用。', ONE_ECG_HOUR),
  duration(
    'HEART_ECTOPIC_SUPRAVENTRICULAR',
    'P波のある調律で、優勢なQRS波形のまま1割以上早く現れる拍の数。研究用。',
    ONE_ECG_HOUR,
  ),
  duration('HEART_ECTOPIC_SUPRAVENTRICULAR_RATE', '同じ拍の、判読できる心電図1時間あたりの数。研究用。', ONE_ECG_HOUR),
  duration('HEART_SUPRAVENTRICULAR_RUNS', '上室期外収縮が3拍以上続いた回数。研究用。', ONE_ECG_HOUR),
  duration(
    'HEART_AF_BURDEN',
    '判定できた時間のうち、心拍間隔が心房細動のように不規則で、心電図がある場合は一定のP波もない時間の割合。研究用。',
    '判定できた時間が1時間以上',
  ),
  duration(
    'HEART_AF_BURDEN_LOWER',
    '上記の割合の下限。解析できた時間に対し、判定できない時間をすべて「なし」と数えた値。研究用。',
    ONE_AF_HOUR,
  ),
  duration(
    'HEART_AF_BURDEN_UPPER',
    '上記の割合の上限。解析できた時間に対し、判定できない時間をすべて「あり」と数えた値。研究用。',
    ONE_AF_HOUR,
  ),
  duration(
    'HEART_AF_ANALYSABLE_DURATION',
    '心拍間隔があり、割合の下限と上限の基になる時間。判定できない時間も含む。研究用。',
    ONE_AF_HOUR,
  ),
  duration('HEART_PAUSES', '心電図の明瞭な2拍の間が3〜15秒空いた回数（3秒は研究設定で変更可）。研究用。', ONE_ECG_HOUR),
  duration('HEART_LONGEST_PAUSE', 'そのうち最も長い間隔。', `${ONE_ECG_HOUR}、かつ該当する間隔があること`),
  ...episodes('BRADYCARDIA', '50拍/分未満'),
  ...episodes('TACHYCARDIA', '100拍/分超'),
  duration(
    'HEART_UNRESOLVED_DURATION',
    '心室粗動のように、QRS波のない振動のため心拍数を算出できない時間。研究用。',
    '1秒以上の心電図',
  ),
  duration('HEART_UNREADABLE_DURATION', '電極は接触しているが、心拍を判読できない時間。', '1秒以上の心電図'),
  duration('HEART_SIGNAL_QUALITY', '心電図の信号品質の平均。', '1秒以上の心電図'),
];

export const metricDefinitions: ReadonlyMap<string, MetricWords> = new Map<string, MetricWords>([
  ...heart('MOVING'),
  ...heart('RESTING'),
  ...heart('SLEEPING'),
  counts('MOVING'),
  counts('RESTING'),
  counts('SLEEPING'),
  ['MOVING_AVG_GAIT_CADENCE', { definition: '歩行と走行の1分あたりの歩数。', minimumData: '60秒以上の歩行または走行' }],
  ['MOVING_STEPS', { definition: '活動時に数えた歩数。', minimumData: KNOWN_ACTIVITY }],
  duration('MOVING_DURATION', '活動していた時間。'),
  duration('MOVING_WALKING_DURATION', '歩行の時間（階段を含む）。'),
  duration('MOVING_OTHER_DURATION', '歩行以外の活動（走行、自転車など）の時間。'),
  duration('RESTING_DURATION', '覚醒して安静にしていた時間。'),
  duration('RESTING_LYING_DURATION', '覚醒して臥位だった時間。'),
  duration('RESTING_SITTING_DURATION', '座位の時間。'),
  duration('RESTING_STANDING_DURATION', '立位の時間。'),
  duration('RESTING_LEANING_POSTURE_DURATION', '臥位以外の安静時に、体幹が前後左右に傾いていた時間。', KNOWN_TRUNK),
  duration('RESTING_UPRIGHT_POSTURE_DURATION', '臥位以外の安静時に、体幹が直立していた時間。', KNOWN_TRUNK),
  ...(Object.keys(KINDS) as (keyof typeof KINDS)[]).map((kind): [string, MetricWords] => [
    `SLEEPING_${kind}_RESPIRATION`,
    {
      definition: `睡眠時の各分の呼吸数（心電図と胸部の加速度から算出）の${KINDS[kind]}。`,
      minimumData: '呼吸数を確実に算出でき、睡眠が30秒以上ある1分間',
    },
  ]),
  duration('SLEEPING_DURATION', '前日の正午から当日の正午までの睡眠時間（仮眠を含む）。', '睡眠期間が1つ以上あること'),
  duration('SLEEPING_ONSET_TS', '最も長い睡眠期間の始まり。', '対象の区間の中で始まる睡眠期間'),
  duration('SLEEPING_WAKE_TS', '最も長い睡眠期間の終わり。', '対象の区間の中で始まる睡眠期間'),
  duration(
    'SLEEPING_POSTURE_TRANSITIONS',
    '睡眠時に、30秒以上続いた姿勢から、30秒以上続いた別の姿勢へ変わった回数。',
    '向きの分かる体幹のセンサーを、睡眠時に装着していること',
  ),
  ...variability,
  ...rhythm,
  duration(
    'SENSOR_WEAR_DURATION',
    '午前0時から翌午前0時までに、いずれかのセンサーを装着していた時間。',
    'その日に1時間以上の記録があること（あれば必ず表示）',
  ),
  ...epochDefinitions,
]);
