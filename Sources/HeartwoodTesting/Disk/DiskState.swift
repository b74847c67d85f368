internal import HeartwoodFileSystem

/// A whole disk: what its users see, and what would be found after a crash. A plain value, without locks or I/O.
///
/// A change of a directory entry is pending until the directory is synced. A crash keeps or loses each change of
/// entries independently. A rename is kept or lost as a whole, and a sync of either directory makes it durable. A
/// failed sync of a directory leaves the changes pending: metadata is journaled, and a journal that can't be written
/// makes every later sync fail too. A script of faults can produce that.
struct DiskState: Sendable {
    typealias Node = Int

    enum EntryChange: Sendable {
        case link(Node, String, Node)
        case unlink(Node, String, Node)
        case move(Node, String, to: Node, String, Node)

        /// The file or directory whose name is added, removed or changed.
        var node: Node {
            switch self {
            case .link(_, _, let node), .unlink(_, _, let node), .move(_, _, _, _, let node): node
            }
        }

        /// The names that the change affects.
        var slots: Set<Slot> {
            switch self {
            case .link(let parent, let name, _), .unlink(let parent, let name, _): [Slot(parent, name)]
            case .move(let from, let name, let to, let newName, _): [Slot(from, name), Slot(to, newName)]
            }
        }
    }

    /// A name in a directory.
    struct Slot: Hashable {
        let directory: Node
        let name: String

        init(_ directory: Node, _ name: String) {
            self.directory = directory
            self.name = name
        }
    }

    /// What the disk's users see.
    private(set) var tree = FileTree<FileState>()
    /// The entries of each directory that a crash is certain to leave, if nothing is pending.
    private(set) var durable: [Node: [String: Node]] = [:]
    private(set) var pendingEntries: [EntryChange] = []
    var files: [Node: FileState] { tree.files }

    init() {}

    /// A disk that durably holds an image.
    init(_ image: DiskImage) {
        var known: [String: Node] = ["": FileTree<FileState>.root]
        for path in image.entries.keys.sorted() {
            let slash = path.lastIndex(of: "/")!
            let parent = known[String(path[..<slash])]!
            let name = String(path[path.index(after: slash)...])
            let node = tree.nextNode
            switch image.entries[path]! {
            case .directory: tree.addDirectory(node, in: parent, name)
            case .file(let bytes): tree.addFile(node, FileState(bytes), in: parent, name)
            }
            durable[parent, default: [:]][name] = node
            known[path] = node
        }
    }

    // MARK: - What is done to it

    mutating func apply(_ effect: DiskEffect) {
        switch effect {
        case .none: break
        case .createFile(let node, let parent, let name):
            tree.addFile(node, FileState(), in: parent, name)
            pendingEntries.append(.link(parent, name, node))
        case .createDirectory(let node, let parent, let name):
            tree.addDirectory(node, in: parent, name)
            pendingEntries.append(.link(parent, name, node))
        case .write(let node, let offset, let payload): tree.files[node]!.write(payload, at: offset)
        case .allocate(let node, let range): tree.files[node]!.allocate(range)
        case .truncate(let node, let size): tree.files[node]!.truncate(to: size)
        case .sync(let node): tree.files[node]!.sync()
        case .failedSync(let node): tree.files[node]!.failSync()
        case .syncDirectory(let node): syncDirectory(node)
        case .rename(let from, let name, let to, let newName):
            let node = tree.move(name, in: from, to: to, newName).moved
            pendingEntries.append(.move(from, name, to: to, newName, node))
        case .remove(let parent, let name):
            pendingEntries.append(.unlink(parent, name, tree.remove(name, in: parent)))
        }
    }

    /// Makes the changes of the directory durable, and with them every earlier change of the same files and names in
    /// any directory. So what is durable is never undone by an earlier change that it replaced.
    private mutating func syncDirectory(_ directory: Node) {
        var nodes: Set<Node> = []
        var slots: Set<Slot> = []
        var left: [EntryChange] = []
        var saved: [EntryChange] = []
        for change in pendingEntries.reversed() {
            let changed = change.slots
            guard
                changed.contains(where: { $0.directory == directory }) || nodes.contains(change.node)
                    || !slots.isDisjoint(with: changed)
            else {
                left.append(change)
                continue
            }
            nodes.insert(change.node)
            slots.formUnion(changed)
            saved.append(change)
        }
        for change in saved.reversed() { Self.apply(change, to: &durable) }
        pendingEntries = left.reversed()
    }

    private static func apply(_ change: EntryChange, to durable: inout [Node: [String: Node]]) {
        switch change {
        case .link(let parent, let name, let node):
            durable[parent, default: [:]][name] = node
        case .unlink(let parent, let name, let node):
            if durable[parent]?[name] == node { durable[parent]![name] = nil }
        case .move(_, _, let to, let newName, let node):
            // The file has only one name, whichever of the earlier renames were lost.
            for parent in durable.keys {
                for (name, child) in durable[parent]! where child == node { durable[parent]![name] = nil }
            }
            durable[to, default: [:]][newName] = node
        }
    }

    mutating func showLock(_ node: Node) { tree.files[node]!.show(LockFileText.own) }

    mutating func rememberHashes() {
        for node in tree.files.keys { tree.files[node]!.rememberHashes() }
    }

    // MARK: - What is found

    /// The files that have a name.
    var linkedFiles: [Node] { tree.files.keys.filter { tree.path(of: $0) != nil } }

    /// What the disk's users see. A process that dies while the system keeps running leaves this content.
    var image: DiskImage { image(of: tree.directories) { _, file in file.cache } }

    /// The content after a crash.
    func afterCrash(_ losses: CrashLosses) -> DiskImage {
        var found = durable
        for (number, change) in pendingEntries.enumerated() where losses.keeps(entryChange: number) {
            Self.apply(change, to: &found)
        }
        return image(of: found) { node, file in
            file.afterCrash(
                size: losses.size(of: node, file.possibleSizes), versions: { losses.versions(of: node, sector: $0) },
                garbage: { losses.garbage(of: node, sector: $0) })
        }
    }

    private func image(
        of directories: [Node: [String: Node]], _ bytes: (Node, FileState) -> PagedBytes
    ) -> DiskImage {
        var image = DiskImage()
        func collect(_ node: Node, _ path: String) {
            for (name, child) in directories[node] ?? [:] {
                let path = path + "/" + name
                if let file = tree.files[child] {
                    image.entries[path] = .file(bytes(child, file))
                } else {
                    image.entries[path] = .directory
                    collect(child, path)
                }
            }
        }
        collect(FileTree<FileState>.root, "")
        return image
    }
}

/// The effect of a call on a disk.
enum DiskEffect: Sendable {
    case none
    case createFile(DiskState.Node, in: DiskState.Node, String)
    case createDirectory(DiskState.Node, in: DiskState.Node, String)
    case write(DiskState.Node, UInt64, Payload)
    case allocate(DiskState.Node, Range<UInt64>)
    case truncate(DiskState.Node, UInt64)
    case sync(DiskState.Node)
    case failedSync(DiskState.Node)
    case syncDirectory(DiskState.Node)
    case rename(DiskState.Node, String, to: DiskState.Node, String)
    case remove(DiskState.Node, String)
}
