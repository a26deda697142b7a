import { useEffect } from 'react';

/**
 * Keeps text unselected when someone drags on a chart with Shift held. The browser would extend the selection from where the
 * caret last was, through everything between; all surfaces that are dragged are sliders.
 */
export function useSliderDrag(): void {
  useEffect(() => {
    const onMouseDown = (event: MouseEvent) => {
      if (!event.shiftKey || !(event.target instanceof Element)) return;
      const slider = event.target.closest<HTMLElement>('[role="slider"]');
      if (!slider) return;
      event.preventDefault();
      slider.focus({ preventScroll: true });
    };
    document.addEventListener('mousedown', onMouseDown);
    return () => document.removeEventListener('mousedown', onMouseDown);
  }, []);
}
