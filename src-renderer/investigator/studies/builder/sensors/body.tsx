/** A body figure, front and back, on which the place of a sensor is chosen; the list beside it offers the same places. */
import { useWords } from '../../../../shared/i18n/i18n.ts';
import styles from '../builder.module.css';
import { PLACES } from './places.ts';

/** One half of the 100 x 220 figure; the other half is its mirror image. */
const HALF =
  'M50 8c6 0 10 5 10 12s-4 11-5 15c2 3 12 4 17 8 4 4 5 12 6 22l6 40c1 6-4 8-6 3l-9-36c-1-6-2-10-3-12 0 12 1 22 1 32 1 20-1 40-2 60l-1 50c0 5-2 8 2 11 2 2 0 4-4 4-6 0-7-3-7-8l-3-56-2-30V8Z';

function Figure({
  view,
  location,
  side,
  isDisabled,
  onChoose,
}: {
  view: 'front' | 'back';
  location: string;
  side: string;
  isDisabled: boolean;
  onChoose: (location: string) => void;
}) {
  const { t } = useWords();
  // Seen from the front, the person's left is on the viewer's right; seen from the back, on the left.
  const isMirrored = (side === 'RIGHT') === (view === 'front') && (side === 'LEFT' || side === 'RIGHT');
  return (
    <figure className={styles.figure}>
      <svg viewBox="0 0 100 220" aria-hidden="true" focusable="false">
        <path d={HALF} />
        <path d={HALF} transform="matrix(-1 0 0 1 100 0)" />
      </svg>
      {PLACES.filter((place) => place.view === view).map((place) => (
        <button
          key={place.id}
          type="button"
          className={styles.place}
          style={{ left: `${isMirrored ? 100 - place.x : place.x}%`, top: `${place.y / 2.2}%` }}
          aria-label={t(`builder.places.${place.id}`)}
          title={t(`builder.places.${place.id}`)}
          aria-pressed={place.id === location}
          disabled={isDisabled}
          onClick={() => onChoose(place.id)}
        />
      ))}
      <figcaption>{t(`builder.${view}`)}</figcaption>
    </figure>
  );
}

export function Body(props: {
  location: string;
  side: string;
  isDisabled: boolean;
  onChoose: (location: string) => void;
}) {
  return (
    <div className={styles.body}>
      <Figure view="front" {...props} />
      <Figure view="back" {...props} />
    </div>
  );
}
