/// The part of the help that isn't about options.
enum Manual {
    static let run = """
        Each engine does the same work on the same data in its own process. Within a row every engine runs once, then \
        every engine again. The table shows the median of the runs, with the lowest and the highest. Engines are \
        compared only where a write survives the same failures once it has returned: see 'survives' in the table.

        EXAMPLES
          Benchmarks/run --quick
          Benchmarks/run --only durable,readrandom --engines heartwood,rocksdb
          Benchmarks/run --full --json results.json --html results.html

        EXIT CODES
          0    done
          1    a cell failed; the others are shown
          64   the command line is wrong
          130  ended by Ctrl-C; shows what was measured so far. A second Ctrl-C ends it immediately
        """
}
