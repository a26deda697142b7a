/** Types that tie each translation to its English original. */

/** The shape of a table of texts with any string at its leaves. */
export type Widen<T> = { [K in keyof T]: T[K] extends string ? string : Widen<T[K]> };

/** The same keys as the English table. Japanese has one plural form, so `_one` is left out. */
export type Translated<T> = {
  [K in keyof T as K extends `${string}_one` ? never : K]: T[K] extends string ? string : Translated<T[K]>;
};
