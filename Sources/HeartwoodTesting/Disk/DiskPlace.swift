internal import HeartwoodFileSystem

/// A resolved path: a name in a directory. The name may not exist.
struct DiskPlace {
    let operation: FileSystemError.Operation
    let path: String
    /// The directories along the path, from the root on.
    let way: [DiskState.Node]
    /// The name in the parent; nil if the path names the last directory of `way`.
    let name: String?
    /// The file or directory at the path; nil if there is none.
    let node: DiskState.Node?
    let isDirectory: Bool
    /// Whether the path ends in a slash.
    let mustBeDirectory: Bool

    var parent: DiskState.Node { way[way.count - 1] }

    func directory() throws(FileSystemError) -> DiskState.Node {
        guard let node else { throw error(ErrorNumber.ENOENT) }
        guard isDirectory else { throw error(ErrorNumber.ENOTDIR) }
        return node
    }

    func file() throws(FileSystemError) -> DiskState.Node {
        guard let node else { throw error(ErrorNumber.ENOENT) }
        guard !isDirectory else { throw error(ErrorNumber.EISDIR) }
        return node
    }

    func error(_ code: Int32) -> FileSystemError {
        FileSystemError(operation: operation, path: path, code: code)
    }
}

extension DiskState {
    /// Resolves a path from the root up to its last name.
    ///
    /// - Throws: `ENOENT` or `ENOTDIR` if the path can't be followed up to its last name.
    func resolve(_ path: String, for operation: FileSystemError.Operation) throws(FileSystemError) -> DiskPlace {
        func error(_ code: Int32) -> FileSystemError {
            FileSystemError(operation: operation, path: path, code: code)
        }
        func place(_ way: [Node], _ name: String?) -> DiskPlace {
            let parent = way[way.count - 1]
            let node = name.map { directories[parent]!.entries[$0] } ?? parent
            return DiskPlace(
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
            guard let child = directories[way[way.count - 1]]!.entries[String(name)] else {
                guard isLast else { throw error(ErrorNumber.ENOENT) }
                return place(way, String(name))
            }
            if files[child] != nil, !isLast || path.last == "/" { throw error(ErrorNumber.ENOTDIR) }
            if isLast { return place(way, String(name)) }
            way.append(child)
        }
        return place(way, nil)
    }

    /// Checks whether a rename is allowed. Returns nil if there is nothing to do.
    func checkRename(
        _ source: DiskPlace, _ target: DiskPlace
    ) throws(FileSystemError) -> (name: String, newName: String)? {
        guard let node = source.node else { throw source.error(ErrorNumber.ENOENT) }
        guard let name = source.name, let newName = target.name else { throw source.error(ErrorNumber.EBUSY) }
        if node == target.node { return nil }
        switch (source.isDirectory, target.node) {
        case (false, nil):
            guard !target.mustBeDirectory else { throw source.error(ErrorNumber.ENOTDIR) }
        case (false, _?):
            guard !target.isDirectory else { throw source.error(ErrorNumber.EISDIR) }
        case (true, let replaced):
            if let replaced {
                guard target.isDirectory else { throw source.error(ErrorNumber.ENOTDIR) }
                guard !target.way.contains(node) else { throw source.error(ErrorNumber.EINVAL) }
                guard directories[replaced]!.entries.isEmpty else { throw source.error(ErrorNumber.ENOTEMPTY) }
            }
            guard !target.way.contains(node) else { throw source.error(ErrorNumber.EINVAL) }
        }
        return (name, newName)
    }

    /// The files that have a name.
    var linkedFiles: [Node] { directories.values.flatMap { $0.entries.values }.filter { files[$0] != nil } }
}
