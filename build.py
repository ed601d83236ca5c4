#!/usr/bin/env python3
"""Normscope's one entry point: python3 build.py [build|serve|test|bench].

It needs nothing but Python's standard library to start, and makes its own environment under build/.
"""

import argparse
import errno
import sys

OLDEST = (3, 11)


def parse(arguments: list) -> tuple:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="build.py",
        description="Build, serve, test and measure Normscope.",
        epilog="Fetched files are checked against static/lock.json and kept in this user's cache; "
        "a second build needs no network.",
    )
    commands = parser.add_subparsers(dest="command", metavar="command")
    build = commands.add_parser("build", help="write dist/: the whole site as static files")
    serve = commands.add_parser("serve", help="build what is stale and serve it on this machine")
    commands.add_parser("test", help="set up what the tests need and run all of them").add_argument(
        "rest", nargs="*", help="given on to pytest, after --"
    )
    bench = commands.add_parser("bench", help="measure: " + ", ".join(sorted(BENCHES)))
    bench.add_argument("what", choices=sorted(BENCHES))
    bench.add_argument("rest", nargs=argparse.REMAINDER, help="given on to the benchmark")
    for command in (build, serve):
        command.add_argument(
            "--base-path",
            default="",
            metavar="/repo/",
            help="where the site lies on its host, for project pages (default: /, or anywhere)",
        )
    serve.add_argument("--port", type=int, default=8000, help="default: 8000; 0 takes a free one")
    serve.add_argument("--no-open", action="store_true", help="do not open a browser")
    return parser, parser.parse_args(arguments)


BENCHES = {
    "edit": "tests.bench.edit",
    "gpu": "tests.bench.gpu",
    "kernels": "tests.bench.kernels.run",
    "stack": "tests.bench.stack.run",
    "start": "tests.bench.start",
}


def run(options: argparse.Namespace) -> int:
    """Carry out a command; returns the exit code."""
    from static.build import site

    if options.command == "test":
        from static.build import checks

        return checks.run(options.rest, say)
    if options.command == "bench":
        from static.build import checks

        return checks.bench(BENCHES[options.what], options.rest, say)
    base_path = site.check_base_path(options.base_path)
    dist = site.build(base_path, say)
    if options.command == "build":
        for line in site.report(dist):
            say(line)
        return 0
    from static.build import serve

    serve.serve(dist, options.port, base_path, not options.no_open, say)
    return 0


def say(line: str) -> None:
    """One line to the person, at once."""
    print(line, flush=True)


def main(arguments: list) -> int:
    """Run and turn what a person can mend into a message and exit code 1."""
    if sys.version_info < OLDEST:
        wanted = ".".join(map(str, OLDEST))
        print(
            f"Normscope's build needs Python {wanted} or newer; this is {sys.version.split()[0]}.\n"
            "Run it with a newer one, for example: python3.12 build.py serve",
            file=sys.stderr,
        )
        return 1
    parser, options = parse(arguments)
    if not options.command:
        parser.print_help()
        return 1
    from static.build.errors import BuildError

    try:
        return run(options)
    except BuildError as error:
        print("\n" + str(error), file=sys.stderr)
    except KeyboardInterrupt:
        print("\nStopped. Nothing half-written is left in dist/.", file=sys.stderr)
    except OSError as error:
        # Where several files are copied at once, the errors come as a list in words.
        if error.errno == errno.ENOSPC or "No space left on device" in str(error):
            print(
                "\nThe disk is full (%s). Nothing half-written is left in dist/: "
                "free some room and run the same command again." % (error.filename or "build/"),
                file=sys.stderr,
            )
        else:
            print(f"\n{error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
