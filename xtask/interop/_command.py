"""Running ftable and other commands."""

import subprocess
import sys


def run(*command):
    """The lines a command prints; its failure ends the script."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}: {done.stderr}")
    return done.stdout.splitlines()
