/** Labels of the daily metrics of the rhythm. */
export const rhythmMetrics = {
  HEART_ECTOPIC_VENTRICULAR: '心室期外収縮',
  HEART_PAUSES: '3秒以上のポーズ',
  HEART_LONGEST_PAUSE: '最長のポーズ',
  HEART_BRADYCARDIA_EPISODES: '50 bpm未満のエピソード',
  HEART_BRADYCARDIA_DURATION: '50 bpm未満のエピソードの時間',
  HEART_TACHYCARDIA_EPISODES: '100 bpm超のエピソード',
  HEART_TACHYCARDIA_DURATION: '100 bpm超のエピソードの時間',
  HEART_UNRESOLVED_DURATION: '心拍を判別できない調律の時間',
  HEART_UNREADABLE_DURATION: '心電図を判読できない時間',
  HEART_SIGNAL_QUALITY: '心電図の信号品質',
} as const;
