/** The Japanese words of the metrics of wrist, waist and lower back sensors; see metric-definitions.ja.ts. */
interface Words {
  definition: string;
  minimumData: string;
}

const ONE_EPOCH = '装着した手首・腰・腰背部のセンサーで、90%以上のデータがある5秒の区間が1つ以上あること';
const TELLS_LIGHT = `${ONE_EPOCH}。座位行動と低強度を区別するカットポイントであること`;
const TELLS_VIGOROUS = `${ONE_EPOCH}。中強度と高強度を区別するカットポイントであること`;
const CALIBRATED = 'あらゆる向きの静止区間（10秒）が50以上あり、校正後の誤差が10 mg未満の記録';
const ANY_NIGHT = '睡眠が分かるいずれかのセンサーがあり、対象の区間の中で睡眠期間が始まること';
const RHYTHM = '1つの記録で装着した時間が72時間以上あり、24の各時刻の値が1つ以上あること';
const HOURS = 'その日の装着時間が16時間以上あり、対象の時間の3分の2以上の値が得られること';

const word = (name: string, definition: string, minimumData: string): [string, Words] => [
  name,
  { definition, minimumData },
];

const AXES = ['X', 'Y', 'Z'] as const;

export const epochDefinitions: readonly [string, Words][] = [
  word('ACCELERATION_AVG_ENMO', '装着した区間のENMOの平均。', ONE_EPOCH),
  word('ACCELERATION_AVG_MAD', '装着した区間の平均振幅偏差（MAD）の平均。', ONE_EPOCH),
  word('INTENSITY_SEDENTARY_DURATION', '低強度のカットポイントに満たない装着時間（睡眠を含む）。', TELLS_LIGHT),
  word('INTENSITY_LIGHT_DURATION', '低強度の装着時間。', TELLS_LIGHT),
  word('INTENSITY_MODERATE_DURATION', '中強度の装着時間。', TELLS_VIGOROUS),
  word('INTENSITY_VIGOROUS_DURATION', '高強度の装着時間。', TELLS_VIGOROUS),
  word('INTENSITY_MVPA_DURATION', '中強度以上の装着時間。', ONE_EPOCH),
  ...AXES.map((axis) =>
    word(`COUNTS_${axis}`, `装着時の、センサーの${axis.toLowerCase()}軸の活動カウントの合計。`, ONE_EPOCH),
  ),
  word('COUNTS_VM3', '装着時の、1分ごとの3軸のカウントのベクトルの大きさの合計。', ONE_EPOCH),
  word('SENSOR_NON_WEAR_DURATION', '記録はあるが、どのセンサーも装着していなかった時間。', ONE_EPOCH),
  word('SLEEPING_PERIOD_DURATION', '最も長い睡眠期間の、入眠から最後の覚醒までの時間。', ANY_NIGHT),
  word('SLEEPING_WASO_DURATION', '入眠から最後の覚醒までの間に目覚めていた時間。', ANY_NIGHT),
  word('SLEEPING_EFFICIENCY', '睡眠期間に占める睡眠時間の割合。', ANY_NIGHT),
  word(
    'SLEEPING_REGULARITY',
    'この夜と前の夜の睡眠規則性指数。24時間をおいて睡眠・覚醒が一致した区間の割合を、-100（正反対）から100（一致）で表す。記録のすべての日の平均がその記録の指数。',
    '手首の1つの記録の、連続する2つの区間（正午から正午）。どちらも分かる時間が3分の2以上',
  ),
  word(
    'RHYTHM_INTERDAILY_STABILITY',
    '日ごとの類似の程度。平均的な1日の分散を、ENMOの1時間平均すべての分散で割った値（0から1）。',
    RHYTHM,
  ),
  word(
    'RHYTHM_INTRADAILY_VARIABILITY',
    '休息と活動の断片化の程度。ENMOの1時間ごとの変化の分散を、1時間平均の分散で割った値（0から約2）。',
    RHYTHM,
  ),
  word('RHYTHM_M10_ENMO', '最も活動的な連続10時間のENMOの平均。', HOURS),
  word('RHYTHM_M10_TS', '最も活動的な連続10時間の始まり。', HOURS),
  word('RHYTHM_L5_ENMO', '最も活動の少ない連続5時間のENMOの平均。', HOURS),
  word('RHYTHM_L5_TS', '最も活動の少ない連続5時間の始まり。', HOURS),
  word('RHYTHM_RELATIVE_AMPLITUDE', 'M10とL5の差を和で割った値（0から1）。', HOURS),
  word('CALIBRATION_WINDOWS', '記録の中で校正のために見つかった、10秒の静止区間の数。', ONE_EPOCH),
  word('CALIBRATION_ERROR_BEFORE', '記録されたままの静止区間の、1 gからの隔たりの平均。', '静止区間が1つ以上あること'),
  word('CALIBRATION_ERROR_AFTER', '校正後の同じ隔たり。校正しなかった記録にはない。', CALIBRATED),
  ...AXES.flatMap((axis) => [
    word(
      `CALIBRATION_GAIN_${axis}`,
      `${axis.toLowerCase()}軸のゲイン。校正値＝（記録値＋ゼロ点の補正）×ゲイン。`,
      CALIBRATED,
    ),
    word(`CALIBRATION_OFFSET_${axis}`, `${axis.toLowerCase()}軸のゼロ点の補正。ゲインの前に加える。`, CALIBRATED),
  ]),
];
