/// Entries as version words. Entries that expire get a block.
struct LoadedWords<Entries: SortedVersions>: SortedKeys {
    let entries: Entries
    /// The words of entries that have a block, by index.
    private var blocks: [Int: UInt64] = [:]

    init(entries: Entries, pool: inout BlockPool) {
        self.entries = entries
        guard entries.mayExpire else { return }
        for index in 0..<entries.count {
            let version = entries.version(index)
            guard version.expiry != 0 else { continue }
            let block = pool.take()
            block.initialize(version, older: nil)
            blocks[index] = VersionWord(block).bits
        }
    }

    var count: Int { entries.count }

    func withKey<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R { entries.withKey(index, body) }

    func word(_ index: Int) -> UInt64 {
        let version = entries.version(index)
        return version.expiry == 0 ? VersionWord(version.location).bits : blocks[index]!
    }
}
