/// Directories, and the files in them, by number. A plain value, without locks or I/O.
package struct FileTree<Content> {
    /// The number of a file or directory. None is used twice.
    package typealias Node = Int
    package static var root: Node { 0 }

    package private(set) var directories: [Node: [String: Node]] = [root: [:]]
    /// Also of files that no longer have a name, until they are dropped.
    package var files: [Node: Content] = [:]
    package private(set) var nextNode: Node = 1
    /// The present name of each file and directory.
    private var names: [Node: (directory: Node, name: String)] = [:]

    package init() {}

    // MARK: - Changes

    package mutating func addFile(_ node: Node, _ content: Content, in parent: Node, _ name: String) {
        files[node] = content
        add(node, in: parent, name)
    }

    package mutating func addDirectory(_ node: Node, in parent: Node, _ name: String) {
        directories[node] = [:]
        add(node, in: parent, name)
    }

    private mutating func add(_ node: Node, in parent: Node, _ name: String) {
        nextNode = max(nextNode, node + 1)
        directories[parent]![name] = node
        names[node] = (parent, name)
    }

    /// Renames a file or directory. Returns its number, and that of what had the new name.
    package mutating func move(
        _ name: String, in parent: Node, to newParent: Node, _ newName: String
    ) -> (moved: Node, replaced: Node?) {
        let node = remove(name, in: parent)
        let replaced = directories[newParent]![newName]
        if let replaced { names[replaced] = nil }
        add(node, in: newParent, newName)
        return (node, replaced)
    }

    /// Takes a file's or directory's name away. Returns its number.
    @discardableResult
    package mutating func remove(_ name: String, in parent: Node) -> Node {
        let node = directories[parent]!.removeValue(forKey: name)!
        names[node] = nil
        return node
    }

    /// Forgets a file or directory that has no name.
    package mutating func drop(_ node: Node) {
        files[node] = nil
        directories[node] = nil
    }

    // MARK: - Paths

    /// The present path of a file or directory; nil if it has no name.
    package func path(of node: Node) -> String? {
        var path = ""
        var node = node
        while node != Self.root {
            guard let (directory, name) = names[node] else { return nil }
            path = "/" + name + path
            node = directory
        }
        return path
    }

    /// Resolves a path from the root up to its last name.
    ///
    /// - Throws: `ENOENT` or `ENOTDIR` if the path can't be followed up to its last name.
    package func resolve(
        _ path: String, for operation: FileSystemError.Operation
    ) throws(FileSystemError) -> FilePlace {
        func error(_ code: Int32) -> FileSystemError {
            FileSystemError(operation: operation, path: path, code: code)
        }
        func place(_ way: [Node], _ name: String?) -> FilePlace {
            let parent = way[way.count - 1]
            let node = name.map { directories[parent]![$0] } ?? parent
            return FilePlace(
                operation: operation, path: path, way: way, name: name, node: node,
                isDirectory: node.map { directories[$0] != nil } ?? false, mustBeDirectory: path.last == "/")
        }
        guard !path.isEmpty else { throw error(ErrorNumber.ENOENT) }
        let names = path.split(separator: "/").filter { $0 != "." }
        var way = [Self.root]
        for (index, name) in names.enumerated() {
            if name == ".." {
                if way.count > 1 { way.removeLast() }
                continue
            }
            let isLast = index == names.count - 1
            guard let child = directories[way[way.count - 1]]![String(name)] else {
                guard isLast else { throw error(ErrorNumber.ENOENT) }
                return place(way, String(name))
            }
            if directories[child] == nil, !isLast || path.last == "/" { throw error(ErrorNumber.ENOTDIR) }
            if isLast { return place(way, String(name)) }
            way.append(child)
        }
        return place(way, nil)
    }

    /// What is at a path; nil if nothing is.
    ///
    /// - Throws: an error other than `ENOENT`, if the path can't be followed.
    package func node(at path: String) throws(FileSystemError) -> Node? {
        do throws(FileSystemError) {
            return try resolve(path, for: .status).node
        } catch let error where error.isNotFound {
            return nil
        }
    }

    /// Whether a file or a directory is at a path; nil if nothing is.
    ///
    /// - Throws: As ``node(at:)``.
    package func kind(at path: String) throws(FileSystemError) -> FileKind? {
        try node(at: path).map { directories[$0] == nil ? .file : .directory }
    }

    // MARK: - Checks

    /// The name for a rename; nil if there is nothing to do.
    package func checkRename(
        _ source: FilePlace, _ target: FilePlace
    ) throws(FileSystemError) -> (name: String, newName: String)? {
        guard let node = source.node else { throw source.error(ErrorNumber.ENOENT) }
        guard let name = source.name, let newName = target.name else { throw source.error(ErrorNumber.EBUSY) }
        if node == target.node { return nil }
        if source.isDirectory {
            guard target.isDirectory || target.node == nil else { throw source.error(ErrorNumber.ENOTDIR) }
            guard !target.way.contains(node) else { throw source.error(ErrorNumber.EINVAL) }
            if let replaced = target.node, !directories[replaced]!.isEmpty {
                throw source.error(ErrorNumber.ENOTEMPTY)
            }
        } else if target.node == nil {
            guard !target.mustBeDirectory else { throw source.error(ErrorNumber.ENOTDIR) }
        } else {
            guard !target.isDirectory else { throw source.error(ErrorNumber.EISDIR) }
        }
        return (name, newName)
    }

    /// The name for a removal.
    package func checkRemoval(_ place: FilePlace) throws(FileSystemError) -> String {
        guard let node = place.node else { throw place.error(ErrorNumber.ENOENT) }
        guard let name = place.name else { throw place.error(ErrorNumber.EBUSY) }
        if let entries = directories[node], !entries.isEmpty { throw place.error(ErrorNumber.ENOTEMPTY) }
        return name
    }
}

extension FileTree: Sendable where Content: Sendable {}

/// A resolved path: a name in a directory. The name may not exist.
package struct FilePlace {
    let operation: FileSystemError.Operation
    let path: String
    /// The directories along the path, from the root on.
    let way: [Int]
    /// The name in the parent; nil if the path names the last directory of `way`.
    package let name: String?
    /// The file or directory at the path; nil if there is none.
    package let node: Int?
    let isDirectory: Bool
    /// Whether the path ends in a slash.
    let mustBeDirectory: Bool

    package var parent: Int { way[way.count - 1] }

    package func directory() throws(FileSystemError) -> Int {
        guard let node else { throw error(ErrorNumber.ENOENT) }
        guard isDirectory else { throw error(ErrorNumber.ENOTDIR) }
        return node
    }

    package func file() throws(FileSystemError) -> Int {
        guard let node else { throw error(ErrorNumber.ENOENT) }
        guard !isDirectory else { throw error(ErrorNumber.EISDIR) }
        return node
    }

    /// The name for a new file.
    package func nameOfNewFile() throws(FileSystemError) -> String {
        let name = try nameOfNewDirectory()
        guard !mustBeDirectory else { throw error(ErrorNumber.EISDIR) }
        return name
    }

    /// The name for a new directory.
    package func nameOfNewDirectory() throws(FileSystemError) -> String {
        guard node == nil, let name else { throw error(ErrorNumber.EEXIST) }
        return name
    }

    package func error(_ code: Int32) -> FileSystemError {
        FileSystemError(operation: operation, path: path, code: code)
    }
}
