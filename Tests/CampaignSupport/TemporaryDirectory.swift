internal import HeartwoodFileSystem

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Directories for temporary stores.
package enum TemporaryDirectory {
    /// Makes an empty directory in `parent`, by default in the system's directory for temporary files.
    package static func make(_ purpose: String, in parent: String? = nil) throws -> String {
        let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/heartwood-\(purpose)-XXXXXX".utf8CString)
        let path = template.withUnsafeMutableBufferPointer { buffer in
            mkdtemp(buffer.baseAddress!).map { String(cString: $0) }
        }
        guard let path else { throw FileSystemError(operation: .createDirectory, path: parent, code: errno) }
        return path
    }

    /// Removes a directory and its contents.
    package static func remove(_ path: String) {
        let fileSystem = POSIXFileSystem()
        if (try? fileSystem.kind(of: path)) == .directory {
            for name in (try? fileSystem.contents(ofDirectory: path)) ?? [] { remove(path + "/" + name) }
        }
        try? fileSystem.remove(path)
    }
}
