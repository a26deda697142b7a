/** The faces of text on canvases: those of `--font` that a canvas may rely on. */
export const CANVAS_FACES = '"Outpost Sans", system-ui, "Noto Sans CJK JP", sans-serif';
