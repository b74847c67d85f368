internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodRepository

/// The cores of the local repositories of this process, so that those with one path and type share one.
final class LocalRegistry: Sendable {
    static let shared = LocalRegistry()

    /// What repositories have in common that share a core. Another type or version of one path doesn't: its opening
    /// finds the store locked.
    struct Name: Hashable, Sendable {
        let place: LocalPlace
        let type: ObjectIdentifier
        let version: Int
        /// Nil for a file system that has no identity, such as that of the operating system.
        let fileSystem: ObjectIdentifier?

        init(_ place: LocalPlace, _ model: any LocalModel, _ fileSystem: any FileSystem) {
            (self.place, type, version) = (place, model.type, model.shape.version)
            let isObject = Swift.type(of: fileSystem) is AnyClass
            self.fileSystem = isObject ? ObjectIdentifier(fileSystem as AnyObject) : nil
        }
    }

    private struct Use {
        let core: LocalCore
        var count: Int
    }

    private let uses = Locked<[Name: Use]>([:])

    /// The core with a name, made if there is none. Each call needs a ``release(_:)``.
    func core(_ name: Name, _ make: () -> LocalCore) -> LocalCore {
        uses.withLock { uses in
            var use = uses[name] ?? Use(core: make(), count: 0)
            use.count += 1
            uses[name] = use
            return use.core
        }
    }

    /// Ends a use. After the last one, the store is closed by another thread: that may wait for the disk.
    func release(_ core: LocalCore) {
        let count = uses.withLock { uses in
            uses[core.name]?.count -= 1
            return uses[core.name]?.count
        }
        guard count == 0 else { return }
        BlockingPool.start {
            // An opening that came first has taken the core over. One that comes now waits, and opens the store again.
            try? core.close(if: { !self.isUsed(core) })
            self.uses.withLock { uses in
                if let use = uses[core.name], use.core === core, use.count == 0 { uses[core.name] = nil }
            }
        }
    }

    /// Closes the cores of the same place that no repository uses any more, such as one of another type, instead of
    /// waiting until they are closed. Blocks.
    func closeUnused(besides core: LocalCore) {
        for other in others(of: core, where: { $0 == 0 }) { try? other.close(if: { !isUsed(other) }) }
    }

    /// A core of the same place that a repository uses, and that has the store open; nil if there is none.
    func used(besides core: LocalCore) -> LocalCore? {
        others(of: core, where: { $0 > 0 }).first { $0.contents.store != nil }
    }

    private func others(of core: LocalCore, where isWanted: (Int) -> Bool) -> [LocalCore] {
        uses.withLock { uses in
            uses.values.filter { use in
                isWanted(use.count) && use.core !== core && use.core.name.place == core.name.place
                    && use.core.name.fileSystem == core.name.fileSystem
            }.map(\.core)
        }
    }

    private func isUsed(_ core: LocalCore) -> Bool {
        uses.withLock { uses in
            guard let use = uses[core.name] else { return false }
            return use.core === core && use.count > 0
        }
    }
}
