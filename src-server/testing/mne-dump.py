"""Opens an EDF+ or BDF+ file with MNE and prints as JSON what it found. Arguments: the file, then sample indexes."""

import json
import sys
import warnings

import mne

warnings.simplefilter("ignore")
path, *places = sys.argv[1:]
read = mne.io.read_raw_bdf if path.endswith(".bdf") else mne.io.read_raw_edf
raw = read(path, preload=True, verbose="ERROR")
# MNE reads files of annotations alone, but gives no data of no channels.
data = raw.get_data() if raw.ch_names else []
print(
    json.dumps(
        {
            "rate": raw.info["sfreq"],
            "start": raw.info["meas_date"].isoformat(),
            "channels": raw.ch_names,
            "samples": int(raw.n_times),
            "at": [[float(row[int(place)]) for place in places] for row in data],
            "annotations": [
                {"onset": float(one["onset"]), "duration": float(one["duration"]), "text": one["description"]}
                for one in raw.annotations
            ],
        }
    )
)
