"""Published systems, measured again. A folder that lies here is a paper of `ludus reproduce`; nothing lists them.

Its file `paper.py` has a `TITLE` and

    experiments(scale, seed, folder, workers) -> list[Experiment]    what must be played, trained or counted
    report(results) -> Reproduction                                  claims judged by the results, charts and words

The files beside the folders are what all papers share:

    experiments     an experiment, its result on disk, how much work is done
    matches         experiments by playing: one lineup, several trainings, a ladder with ratings
    claims          what a paper says beside what we measured; a verdict is reached by comparing numbers, never by hand
    tables          findings as HTML: claims in rows, a grid of published cells, a ladder
    reproduction    runs what a folder does not hold yet, judges, and writes `<paper>.html` and `<paper>.json`
"""
