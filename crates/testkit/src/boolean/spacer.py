"""Decides files of Horn clauses with Z3's Spacer: spacer.py SECONDS MEGABYTES FILE...

Prints a line per file: sat, unsat or unknown, the processor and the wall-clock time in seconds (both
with reading the file), the most memory that this process has used so far, in kilobytes, and why the
verdict is unknown.
"""

import resource
import sys
import time

import z3

seconds, megabytes, *paths = sys.argv[1:]
z3.set_param("memory_max_size", int(megabytes))
for path in paths:
    cpu, wall = time.process_time(), time.monotonic()
    solver = z3.SolverFor("HORN")
    solver.set("timeout", int(seconds) * 1000)
    reason = ""
    try:
        solver.from_file(path)
        verdict = solver.check()
        if verdict == z3.unknown:
            reason = solver.reason_unknown()
    except z3.Z3Exception as error:
        verdict, reason = z3.unknown, error.value
        # The package does not decode what the library says.
        reason = reason.decode() if isinstance(reason, bytes) else str(reason)
    cpu, wall = time.process_time() - cpu, time.monotonic() - wall
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(verdict, f"{cpu:.4f} {wall:.4f}", memory, reason, flush=True)
