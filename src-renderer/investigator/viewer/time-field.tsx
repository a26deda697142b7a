import { useState } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { preciseClock } from '../../shared/time/local-day.ts';
import { type Extent, parseGoTo } from './view.ts';

/** A time within the recording that can be typed, as `14:05:30.250`, `+0.4s` (from `fromMs`) or ISO. */
export function TimeField({
  label,
  ms,
  fromMs,
  extent,
  timeZone,
  onTime,
}: {
  label: string;
  ms: number | null;
  fromMs: number;
  extent: Extent;
  timeZone: string;
  onTime: (ms: number) => void;
}) {
  const { t } = useWords();
  const [typed, setTyped] = useState<string | null>(null);
  const [isWrong, setWrong] = useState(false);
  const shown = ms === null ? '' : preciseClock(ms, timeZone).clock;
  function take() {
    if (typed === null) return;
    const isSame = typed.trim() === '' || typed === shown;
    const next = isSame ? null : parseGoTo(typed, fromMs, extent, timeZone);
    setWrong(!isSame && next === null);
    if (next !== null) onTime(next);
    if (isSame || next !== null) setTyped(null);
  }
  return (
    <Field
      label={label}
      value={typed ?? shown}
      onChange={setTyped}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take();
      }}
      error={isWrong ? t('viewer.goToWrong') : undefined}
    />
  );
}
