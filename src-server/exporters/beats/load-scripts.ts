/** Scripts in every export of beats that load them with types, for pandas and for R without packages. */

export const BEATS_PYTHON = `"""Loads the heartbeats of this archive with types.

    import load                      # in the folder of the unpacked archive
    recordings = load.recordings()   # one row per recording with beats
    beats = load.beats()             # every beat of every recording
    beats = load.beats(recordings['stem'][0])

Times are UTC. Needs pandas 1.5 or later.
"""
from pathlib import Path

import pandas as pd

HERE = Path(__file__).resolve().parent


def recordings():
    """The recordings with beats; the stem names their files."""
    frame = pd.read_csv(HERE / 'recordings.csv', dtype={'stem': 'string'})
    for column in ('recordingStartTs', 'recordingStopTs'):
        frame[column] = pd.to_datetime(frame[column], unit='ms', utc=True)
    return frame


def beats(stem=None):
    """The beats of one recording, or of all, with its stem."""
    stems = [stem] if stem is not None else list(recordings()['stem'])
    frames = []
    for one in stems:
        frame = pd.read_csv(HERE / 'beats' / f'{one}.csv')
        frame['time'] = pd.to_datetime(frame['time_us'], unit='us', utc=True)
        frame['is_nn'] = frame['is_nn'] == 1
        frame['is_after_break'] = frame['is_after_break'] == 1
        frame['use'] = frame['use'].astype('category')
        frame.insert(0, 'stem', one)
        frames.append(frame.drop(columns=['time_utc']))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
`;

export const BEATS_R = `# Loads the heartbeats of this archive with types. Needs R 4.0 or later and no packages.
#
#     source('load.R')                        # in the folder of the unpacked archive
#     recordings <- load_recordings('.')      # one row per recording with beats
#     beats <- load_beats('.')                # every beat of every recording
#     beats <- load_beats('.', recordings$stem[1])
#
# Times are UTC (POSIXct).

load_recordings <- function(folder = '.') {
  frame <- read.csv(file.path(folder, 'recordings.csv'), stringsAsFactors = FALSE, encoding = 'UTF-8')
  for (column in c('recordingStartTs', 'recordingStopTs')) {
    frame[[column]] <- as.POSIXct(frame[[column]] / 1000, origin = '1970-01-01', tz = 'UTC')
  }
  frame
}

load_beats <- function(folder = '.', stem = NULL) {
  stems <- if (is.null(stem)) load_recordings(folder)$stem else stem
  frames <- lapply(stems, function(one) {
    frame <- read.csv(file.path(folder, 'beats', paste0(one, '.csv')), stringsAsFactors = FALSE)
    frame$time <- as.POSIXct(frame$time_us / 1e6, origin = '1970-01-01', tz = 'UTC')
    frame$is_nn <- frame$is_nn == 1
    frame$is_after_break <- frame$is_after_break == 1
    frame$use <- factor(frame$use, levels = c('USED', 'EARLY_OR_ODD', 'DOUBTFUL', 'DELETED', 'EXCLUDED'))
    frame$time_utc <- NULL
    cbind(stem = rep(one, nrow(frame)), frame)
  })
  columns <- unique(unlist(lapply(frames, names)))
  do.call(rbind, lapply(frames, function(frame) {
    for (column in setdiff(columns, names(frame))) frame[[column]] <- rep(NA, nrow(frame))
    frame[columns]
  }))
}
`;
