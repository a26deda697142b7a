/** The colour tokens, resolved to concrete colours of the current theme for canvases. */
import { useMemo, useSyncExternalStore } from 'react';
import { preferences } from '../preferences.ts';

/** Categories that have a colour of their own, under the same name. */
export type CategoryColor =
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
  | 'worn'
  | 'not-worn'
  | 'unknown'
  | 'gap';

/** Stages of data on its way to the site, drawn in the colours of good, warning and bad. */
export type PathCategory =
  | 'path-sensor'
  | 'path-hub'
  | 'path-arriving'
  | 'path-verified'
  | 'path-analysed'
  | 'path-decide'
  | 'path-rejected';

export type Category = CategoryColor | PathCategory;

export type ColorName =
  | CategoryColor
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
  | 'task'
  | 'label'
  | 'fault'
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
  const unsubscribe = preferences.subscribe(listener);
  darkQuery?.addEventListener('change', listener);
  return () => {
    unsubscribe();
    darkQuery?.removeEventListener('change', listener);
  };
}

const themeNow = () => {
  const { theme } = preferences.get();
  return theme === 'system' ? (darkQuery?.matches ? 'dark' : 'light') : theme;
};

/** Resolves tokens with a probe element: a custom property itself would read back as `light-dark(...)`. */
function resolver(scheme?: 'light'): Colors {
  const probe = document.createElement('span');
  probe.hidden = true;
  if (scheme) probe.style.colorScheme = scheme;
  document.body.append(probe);
  const resolved = new Map<ColorName, string>();
  return (name) => {
    let color = resolved.get(name);
    if (color === undefined) {
      probe.style.color = `var(--${name})`;
      color = getComputedStyle(probe).color;
      resolved.set(name, color);
    }
    return color;
  };
}

const resolvers = new Map<string, Colors>();

/** Returns the colours of the current theme. The function changes with the theme, so that canvases draw again. */
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

/** The colours of the light theme whatever the present one is: for files that are pasted into papers. */
export const lightColors = (): Colors => resolver('light');
