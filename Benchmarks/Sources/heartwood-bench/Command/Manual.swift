/// What `--help` says beyond the options.
enum Manual {
    static let discussion = """
        Writes, reopens and reads stores of 16-byte random keys and 100-byte random values, the same in every run. \
        Each workload runs for some seconds, then the next, and all of them again: what is shown is the median of the \
        runs, with the lowest and the highest.

        Durable writes are shown as a ratio to the raw loop, which does nothing but append 128 bytes to a file of \
        zeros and wait for the disk (fdatasync), on the same disk, in the same minutes: it is what one writer can \
        reach at most. More writers reach more because they share syncs. Everything is checked: a store that counts \
        other writes than were made, loses one when it is reopened, or returns a wrong byte, ends the run.

        Built with HEARTWOOD_PEERS=1 (or by 'Benchmarks/run --peers', which installs what that needs on Debian and \
        Ubuntu), LevelDB, RocksDB, LMDB and SQLite do the same work in the same run. Benchmarks/README.md says how \
        they are set.

        Free the machine of other work first.

          Benchmarks/run --quick
          Benchmarks/run --peers --only unsynced --json figures.json
          Benchmarks/run --peers --only large

        The figures are those of the disk that holds the directory; a file system in memory says nothing of \
        durable writes. A store that grows beyond some 4 GiB of log is replaced by a fresh one, and the clock \
        stands meanwhile. Ctrl-C ends it with what was measured so far; a second one at once.

        WORKLOADS (--only takes names and groups, and adds what they are compared with; without it all are measured \
        but those of the groups 'large', 'memory' and 'compaction')
        \(listOfWorkloads)

        EXIT CODES
          0    done, whether targets are reached or not
          1    a workload failed; what was measured is shown
          64   the command line is wrong
          130  ended by Ctrl-C
        """

    private static var listOfWorkloads: String {
        WorkloadGroup.allCases.map { group in
            let workloads = Catalogue.all.filter { $0.group == group }
            return "  \(group.rawValue)\n"
                + workloads.map { workload in
                    let padding = String(repeating: " ", count: max(1, 27 - workload.name.count))
                    return "    \(workload.name)\(padding)\(workload.title)"
                }.joined(separator: "\n")
        }.joined(separator: "\n")
    }
}
