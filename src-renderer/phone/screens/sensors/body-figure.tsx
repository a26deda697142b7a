/** Our own figure of a body, front and back, with the place of a sensor marked by a ring and a dot. */
import type { PhoneSensor } from '../../model.ts';
import { useWords } from '../../words/words.ts';
import styles from './body-figure.module.css';
import { FIGURE_WIDTH, placeOf, pointsOf, usePlaceText } from './places.ts';

const HALF =
  'M60 2c-11 0-17 9-17 20 0 8 3 14 8 18v7c-3 5-10 7-18 9-7 2-11 7-12 15l-5 40-4 26c-1 5-4 9-3 16 1 6 3 12 6 12 4 0 5-6 5-12l6-27 6-30 4 22c-1 9-4 20-4 30l2 50c-1 10-1 16 0 26l4 36c0 8-4 14-4 18 0 3 4 4 9 4 6 0 9-2 9-8l1-40 4-40 3-42';
/** The right half of the picture is the left one in a mirror. */
const MIRROR = `translate(${FIGURE_WIDTH} 0) scale(-1 1)`;

export function BodyFigure({ sensor }: { sensor: Pick<PhoneSensor, 'location' | 'side'> }) {
  const { t } = useWords();
  const placeText = usePlaceText();
  const place = placeOf(sensor.location);
  const view = t(`sensors.${place.view}`);
  return (
    <figure className={styles.figure}>
      <svg
        viewBox="-6 -4 132 308"
        role="img"
        aria-label={t('sensors.figure', { view, place: placeText(sensor) })}
        className={styles.picture}
      >
        <g className={styles.body}>
          <path d={`${HALF}z`} />
          <path d={`${HALF}z`} transform={MIRROR} />
        </g>
        {place.view === 'front' ? (
          <path className={styles.detail} d="M54 21h.01M66 21h.01M56 29q4 3 8 0M60 124v2" />
        ) : (
          <path className={styles.detail} d="M60 62v62M47 76q5 8 0 18M73 76q-5 8 0 18M50 156q10 8 20 0" />
        )}
        {pointsOf(sensor).map(({ x, y }) => (
          <g key={x} className={styles.mark}>
            <circle cx={x} cy={y} r="16" />
            <circle cx={x} cy={y} r="7.5" />
          </g>
        ))}
      </svg>
      <figcaption aria-hidden="true">{view}</figcaption>
    </figure>
  );
}
