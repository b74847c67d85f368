/// What the help says beyond the options.
enum Manual {
    static let run = """
        Each engine does the same work on the same data in a process of its own. Within a row every engine runs once, \
        then every engine again; what is shown is the median of the runs, with the lowest and the highest. Engines \
        are compared only where a write that has returned has survived the same: see 'promise' in the table.

        EXAMPLES
          Benchmarks/run --quick
          Benchmarks/run --only durable,readrandom --engines heartwood,rocksdb
          Benchmarks/run --full --json results.json --html results.html

        EXIT CODES
          0    done
          1    a cell failed; what was measured is shown
          64   the command line is wrong
          130  ended by Ctrl-C, with what was measured so far; a second one ends it at once
        """
}
