/** The tokens as a canvas needs them: resolved for the theme that shows now. */
import { useMemo, useSyncExternalStore } from 'react';
import { preferences } from '../preferences.ts';

export type ColorName =
  | 'surface'
  | 'text'
  | 'text-muted'
  | 'text-faint'
  | 'line'
  | 'line-soft'
  | 'line-strong'
  | 'heart-rate'
  | 'heart-rate-soft'
  | 'variability'
  | 'respiration'
  | 'steps'
  | 'sleeping'
  | 'lying'
  | 'leaning'
  | 'sitting'
  | 'standing'
  | 'walking'
  | 'running'
  | 'cycling'
  | 'moving-other'
  | 'posture-upright'
  | 'posture-left'
  | 'posture-right'
  | 'posture-front'
  | 'posture-back'
  | 'task'
  | 'label'
  | 'fault'
  | 'worn'
  | 'not-worn'
  | 'unknown'
  | 'gap'
  | 'accent'
  | 'good'
  | 'warn'
  | 'bad'
  | 'info'
  | 'paper-fine'
  | 'paper-bold'
  | 'trace'
  | 'envelope'
  | 'axis-x'
  | 'axis-y'
  | 'axis-z'
  | 'caliper'
  | 'quality-good'
  | 'quality-noisy'
  | 'quality-unreadable';

export type Colors = (name: ColorName) => string;

const darkQuery = typeof matchMedia === 'function' ? matchMedia('(prefers-color-scheme: dark)') : undefined;

function subscribe(listener: () => void): () => void {
  const end = preferences.subscribe(listener);
  darkQuery?.addEventListener('change', listener);
  return () => {
    end();
    darkQuery?.removeEventListener('change', listener);
  };
}

const themeNow = () => {
  const { theme } = preferences.get();
  return theme === 'system' ? (darkQuery?.matches ? 'dark' : 'light') : theme;
};

/** A custom property reads back unresolved; the `color` of an element that uses it does not. */
function resolver(): Colors {
  const probe = document.createElement('span');
  probe.hidden = true;
  document.body.append(probe);
  const known = new Map<ColorName, string>();
  return (name) => {
    let color = known.get(name);
    if (color === undefined) {
      probe.style.color = `var(--${name})`;
      color = getComputedStyle(probe).color;
      known.set(name, color);
    }
    return color;
  };
}

const resolvers = new Map<string, Colors>();

/** Colours of the present theme; a new function when the theme changes, so that canvases draw again. */
export function useColors(): Colors {
  const theme = useSyncExternalStore(subscribe, themeNow);
  return useMemo(() => {
    let colors = resolvers.get(theme);
    if (!colors) {
      colors = resolver();
      resolvers.set(theme, colors);
    }
    return colors;
  }, [theme]);
}
