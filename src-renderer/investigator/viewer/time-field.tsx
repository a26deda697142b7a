/** A text field for instants of a recording. */
import { useState } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { preciseClock } from '../../shared/time/local-day.ts';
import { type Extent, parseGoTo } from './view.ts';

/** A typed time within the recording: `14:05:30.250`, `+0.4s` (from `fromMs`) or ISO 8601. Invalid text stays with an error. */
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
  const [isInvalid, setInvalid] = useState(false);
  const shown = ms === null ? '' : preciseClock(ms, timeZone).clock;
  function commit() {
    if (typed === null) return;
    const isUnchanged = typed.trim() === '' || typed === shown;
    const next = isUnchanged ? null : parseGoTo(typed, fromMs, extent, timeZone);
    setInvalid(!isUnchanged && next === null);
    if (next !== null) onTime(next);
    if (isUnchanged || next !== null) setTyped(null);
  }
  return (
    <Field
      label={label}
      value={typed ?? shown}
      onChange={setTyped}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
      error={isInvalid ? t('viewer.goToWrong') : undefined}
    />
  );
}
