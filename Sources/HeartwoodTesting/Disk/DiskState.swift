internal import HeartwoodFileSystem

/// A whole disk: what its users see, and what would be found after a crash. A plain value, without locks or I/O.
///
/// A change of a directory entry is pending until the directory is synced. A crash keeps or loses each change of
/// entries independently. A rename is kept or lost as a whole, and a sync of either directory makes it durable. A
/// failed sync of a directory leaves the changes pending: metadata is journaled, and a journal that can't be written
/// makes every later sync fail too. A script of faults can produce that.
struct DiskState: Sendable {
    typealias Node = Int
    static let root: Node = 0

    struct Directory: Sendable {
        var entries: [String: Node] = [:]
        var durable: [String: Node] = [:]
    }

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

    private(set) var files: [Node: FileState] = [:]
    private(set) var directories: [Node: Directory] = [root: Directory()]
    private(set) var pendingEntries: [EntryChange] = []
    private(set) var nextNode: Node = 1
    /// The present name of each file and directory.
    private var names: [Node: Slot] = [:]

    init() {}

    /// A disk that durably holds an image.
    init(_ image: DiskImage) {
        var known: [String: Node] = ["": Self.root]
        for path in image.entries.keys.sorted() {
            let slash = path.lastIndex(of: "/")!
            let parent = known[String(path[..<slash])]!
            let name = String(path[path.index(after: slash)...])
            let node = nextNode
            nextNode += 1
            switch image.entries[path]! {
            case .directory: directories[node] = Directory()
            case .file(let bytes): files[node] = FileState(bytes)
            }
            directories[parent]!.entries[name] = node
            directories[parent]!.durable[name] = node
            names[node] = Slot(parent, name)
            known[path] = node
        }
    }

    // MARK: - What is done to it

    mutating func apply(_ effect: DiskEffect) {
        switch effect {
        case .none: break
        case .createFile(let node, let parent, let name):
            add(node, parent, name)
            files[node] = FileState()
        case .createDirectory(let node, let parent, let name):
            add(node, parent, name)
            directories[node] = Directory()
        case .write(let node, let offset, let payload): files[node]!.write(payload, at: offset)
        case .allocate(let node, let range): files[node]!.allocate(range)
        case .truncate(let node, let size): files[node]!.truncate(to: size)
        case .sync(let node): files[node]!.sync()
        case .failedSync(let node): files[node]!.failSync()
        case .syncDirectory(let node): syncDirectory(node)
        case .rename(let from, let name, let to, let newName):
            let node = directories[from]!.entries.removeValue(forKey: name)!
            if let replaced = directories[to]!.entries[newName] { names[replaced] = nil }
            names[node] = Slot(to, newName)
            directories[to]!.entries[newName] = node
            pendingEntries.append(.move(from, name, to: to, newName, node))
        case .remove(let parent, let name):
            let node = directories[parent]!.entries.removeValue(forKey: name)!
            names[node] = nil
            pendingEntries.append(.unlink(parent, name, node))
        }
    }

    private mutating func add(_ node: Node, _ parent: Node, _ name: String) {
        nextNode = max(nextNode, node + 1)
        directories[parent]!.entries[name] = node
        names[node] = Slot(parent, name)
        pendingEntries.append(.link(parent, name, node))
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
        for change in saved.reversed() { Self.apply(change, to: &directories) }
        pendingEntries = left.reversed()
    }

    private static func apply(_ change: EntryChange, to directories: inout [Node: Directory]) {
        switch change {
        case .link(let parent, let name, let node):
            directories[parent]!.durable[name] = node
        case .unlink(let parent, let name, let node):
            if directories[parent]!.durable[name] == node { directories[parent]!.durable[name] = nil }
        case .move(_, _, let to, let newName, let node):
            // The file has only one name, whichever of the earlier renames were lost.
            for parent in directories.keys {
                for (name, child) in directories[parent]!.durable where child == node {
                    directories[parent]!.durable[name] = nil
                }
            }
            directories[to]!.durable[newName] = node
        }
    }

    mutating func showLock(_ node: Node) { files[node]!.show(LockFileText.own) }

    mutating func rememberHashes() {
        for node in files.keys { files[node]!.rememberHashes() }
    }

    // MARK: - What is found

    /// The present path of a file or directory; nil if it was removed.
    func path(of node: Node) -> String? {
        var path = ""
        var node = node
        while node != Self.root {
            guard let slot = names[node] else { return nil }
            path = "/" + slot.name + path
            node = slot.directory
        }
        return path
    }

    /// What the disk's users see. A process that dies while the system keeps running leaves this content.
    var image: DiskImage {
        var image = DiskImage()
        collect(Self.root, "", \.entries, of: directories, into: &image) { files[$0]!.cache }
        return image
    }

    /// The content after a crash.
    func afterCrash(_ losses: CrashLosses) -> DiskImage {
        var found = directories
        for (number, change) in pendingEntries.enumerated() where losses.keeps(entryChange: number) {
            Self.apply(change, to: &found)
        }
        var image = DiskImage()
        collect(Self.root, "", \.durable, of: found, into: &image) { node in
            let file = files[node]!
            return file.afterCrash(
                size: losses.size(of: node, file.possibleSizes), versions: { losses.versions(of: node, sector: $0) },
                garbage: { losses.garbage(of: node, sector: $0) })
        }
        return image
    }

    private func collect(
        _ node: Node, _ path: String, _ entries: KeyPath<Directory, [String: Node]>, of directories: [Node: Directory],
        into image: inout DiskImage, _ bytes: (Node) -> PagedBytes
    ) {
        for (name, child) in directories[node]![keyPath: entries] {
            let path = path + "/" + name
            if directories[child] != nil {
                image.entries[path] = .directory
                collect(child, path, entries, of: directories, into: &image, bytes)
            } else {
                image.entries[path] = .file(bytes(child))
            }
        }
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
