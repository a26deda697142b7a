import { useEffect } from 'react';

/**
 * Prevents text selection while a chart is dragged with Shift held: the browser would extend the selection from the last
 * caret position to the pointer. Every surface that can be dragged has the role of a slider.
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
