/**
 * Made by `scripts/models/sleep-epochs.ts`, not edited by hand: logistic regression on 16 nights of PhysioNet sleep-accel
 * (Walch et al. 2019), kappa 0.516 with each night scored by weights of the other nights.
 */
export const SLEEP_EPOCH_MODEL = {
  intercept: -3.97428,
  weights: [0.653917, 1.14623, 8.24164],
  wakeProbability: 0.3,
};
