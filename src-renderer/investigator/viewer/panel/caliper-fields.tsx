/** The calipers as typed values: two instants, and two levels where there is a lead. */
import { useState } from 'react';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { useSelected } from '../../../shared/store.ts';
import type { ViewerModel } from '../data/model.ts';
import { TimeField } from '../time-field.tsx';
import styles from '../viewer.module.css';

/** The typed level of a horizontal caliper, mV. Full-width digits are accepted. */
function LevelField({ model, end }: { model: ViewerModel; end: 'fromMv' | 'toMv' }) {
  const { t, format } = useWords();
  const mv = useSelected(model.state, (state) => state.levels[end]);
  const [typed, setTyped] = useState<string | null>(null);
  const [isInvalid, setInvalid] = useState(false);
  const commit = () => {
    if (typed === null) return;
    const next = Number(typed.normalize('NFKC').trim().replace(',', '.').replace('−', '-'));
    setInvalid(!Number.isFinite(next));
    if (!Number.isFinite(next)) return;
    if (typed.trim() !== '') model.setLevel(end, next);
    setTyped(null);
  };
  return (
    <Field
      label={t(end === 'fromMv' ? 'viewer.levelFrom' : 'viewer.levelTo')}
      value={typed ?? (mv === null ? '' : format.number(mv, 2))}
      onChange={setTyped}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
      error={isInvalid ? t('viewer.levelWrong') : undefined}
    />
  );
}

export function CaliperFields({
  model,
  timeZone,
  showsLevels,
}: {
  model: ViewerModel;
  timeZone: string;
  showsLevels: boolean;
}) {
  const { t } = useWords();
  const calipers = useSelected(model.state, (state) => state.calipers);
  /** A relative time counts from the other caliper, or from the start of the view. */
  const referenceMs = (end: 'startMs' | 'stopMs') =>
    calipers[end === 'stopMs' ? 'startMs' : 'stopMs'] ?? model.state.get().view.startMs;
  return (
    <div className={styles.caliperFields}>
      {(['startMs', 'stopMs'] as const).map((end) => (
        <TimeField
          key={end}
          label={t(end === 'startMs' ? 'viewer.caliperStart' : 'viewer.caliperStop')}
          ms={calipers[end]}
          fromMs={referenceMs(end)}
          extent={model.extent}
          timeZone={timeZone}
          onTime={(ms) => model.setCaliper(end, ms)}
        />
      ))}
      {showsLevels && (
        <>
          <LevelField model={model} end="fromMv" />
          <LevelField model={model} end="toMv" />
        </>
      )}
    </div>
  );
}
