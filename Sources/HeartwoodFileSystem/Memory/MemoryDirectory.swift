#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A directory of an ``InMemoryFileSystem``, whose lock guards the whole tree.
final class MemoryDirectory {
    var entries: [String: MemoryNode] = [:]
}

/// An entry of a directory.
enum MemoryNode {
    case directory(MemoryDirectory)
    case file(MemoryContents)
}

/// A resolved path: a name in a directory. The name may not exist.
struct MemoryPlace {
    let operation: FileSystemError.Operation
    let path: String
    /// The directories along the path, from the root on; the last is the parent.
    let way: [MemoryDirectory]
    /// The name in the parent; nil if the path ends in the root, in "." or in "..". Then the path names the last
    /// directory of `way`.
    let name: String?
    /// Whether the path ends in a slash.
    let mustBeDirectory: Bool

    var parent: MemoryDirectory { way[way.count - 1] }

    var node: MemoryNode? {
        guard let name else { return .directory(parent) }
        return parent.entries[name]
    }

    func isInside(_ directory: MemoryDirectory) -> Bool {
        way.contains { $0 === directory }
    }

    func directory() throws(FileSystemError) -> MemoryDirectory {
        switch node {
        case .directory(let directory): return directory
        case .file: throw error(ENOTDIR)
        case nil: throw error(ENOENT)
        }
    }

    func file() throws(FileSystemError) -> MemoryContents {
        switch node {
        case .directory: throw error(EISDIR)
        case .file(let contents): return contents
        case nil: throw error(ENOENT)
        }
    }

    func createFile() throws(FileSystemError) -> MemoryContents {
        guard node == nil, let name else { throw error(EEXIST) }
        guard !mustBeDirectory else { throw error(EISDIR) }
        let contents = MemoryContents()
        parent.entries[name] = .file(contents)
        return contents
    }

    func error(_ code: Int32) -> FileSystemError {
        FileSystemError(operation: operation, path: path, code: code)
    }
}

extension MemoryDirectory {
    /// Resolves a path up to its last name. This directory is the root.
    ///
    /// - Throws: `ENOENT` or `ENOTDIR` if the path can't be followed up to its last name.
    func resolve(
        _ path: String, for operation: FileSystemError.Operation
    ) throws(FileSystemError) -> MemoryPlace {
        func error(_ code: Int32) -> FileSystemError {
            FileSystemError(operation: operation, path: path, code: code)
        }
        func place(_ way: [MemoryDirectory], _ name: String?) -> MemoryPlace {
            MemoryPlace(operation: operation, path: path, way: way, name: name, mustBeDirectory: path.last == "/")
        }
        guard !path.isEmpty else { throw error(ENOENT) }
        let names = path.split(separator: "/").filter { $0 != "." }
        var way = [self]
        for (index, name) in names.enumerated() {
            if name == ".." {
                if way.count > 1 { way.removeLast() }
                continue
            }
            let isLast = index == names.count - 1
            switch way[way.count - 1].entries[String(name)] {
            case .file where !isLast || path.last == "/":
                throw error(ENOTDIR)
            case nil where !isLast:
                throw error(ENOENT)
            case .directory(let directory) where !isLast:
                way.append(directory)
            default:
                return place(way, String(name))
            }
        }
        return place(way, nil)
    }
}
