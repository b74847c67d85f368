internal import HeartwoodCampaignSupport
package import HeartwoodFileSystem
internal import HeartwoodFormat

/// The files of a store in one input: for each the length of its name (1 byte), its name, the length of its contents (3
/// bytes) and its contents, with zeros folded. Any bytes are an image.
package struct DirectoryImage: Equatable {
    package var files: [(name: String, bytes: [UInt8])]

    package init(files: [(name: String, bytes: [UInt8])]) { self.files = files }

    package init(_ input: UnsafeRawBufferPointer) {
        files = []
        let bytes = FoldedZeros.unfold(input, limit: 48 << 10)
        var rest = bytes[...]
        while let nameLength = rest.popFirst(), nameLength > 0, files.count < 8 {
            let name = String(decoding: rest.prefix(Int(nameLength)), as: UTF8.self)
            rest = rest.dropFirst(Int(nameLength))
            let length = rest.prefix(3).reversed().reduce(0) { $0 << 8 | Int($1) }
            let contents = Array(rest.dropFirst(3).prefix(length))
            rest = rest.dropFirst(3 + length)
            // Names that no directory can have.
            if name == "." || name == ".." || name.utf8.contains(where: { $0 == 0x2F || $0 == 0 }) { continue }
            if !files.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) { files.append((name, contents)) }
        }
    }

    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(files.reduce(0) { $0 + 64 + $1.bytes.count })
        for (name, contents) in files {
            let name = name.utf8.prefix(255)
            bytes.append(UInt8(name.count))
            bytes += name
            bytes += [UInt8(contents.count & 0xFF), UInt8(contents.count >> 8 & 0xFF), UInt8(contents.count >> 16)]
            bytes += contents
        }
        return FoldedZeros.fold(bytes)
    }

    package static func == (a: DirectoryImage, b: DirectoryImage) -> Bool {
        a.files.elementsEqual(b.files) { $0.name.utf8.elementsEqual($1.name.utf8) && $0.bytes == $1.bytes }
    }

    /// The log segments, sorted by the numbers in their names.
    var segments: [(first: UInt64, bytes: [UInt8])] {
        files.compactMap { name, bytes in
            guard case .log(let first) = StoreFileName(name) else { return nil }
            return (first, bytes)
        }.sorted { $0.first < $1.first }
    }

    /// The snapshots, sorted by the numbers in their names.
    var snapshots: [(last: UInt64, bytes: [UInt8])] {
        files.compactMap { name, bytes in
            guard case .snapshot(let last) = StoreFileName(name) else { return nil }
            return (last, bytes)
        }.sorted { $0.last < $1.last }
    }

    /// The same files in memory, as a store in `/store`.
    package func inMemory() throws -> InMemoryFileSystem {
        let fileSystem = InMemoryFileSystem()
        try fileSystem.createDirectory("/store")
        for (name, bytes) in files { try fileSystem.create("/store/" + name, bytes) }
        return fileSystem
    }
}

/// The files of an image, in the directory "/store". A call that would change anything ends the process.
package final class FrozenFileSystem: FileSystem {
    private let image: [(name: String, bytes: [UInt8])]

    package init(_ image: DirectoryImage) { self.image = image.files }

    package func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        require(access != .create, "an opening made \(path)")
        guard let bytes = file(path) else { violated("an opening looked for \(path)") }
        return FrozenFile(path, bytes)
    }

    private func file(_ path: String) -> [UInt8]? {
        let name = path.utf8.dropFirst("/store/".utf8.count)
        return image.first { $0.name.utf8.elementsEqual(name) }?.bytes
    }

    package func contents(ofDirectory path: String) throws(FileSystemError) -> [String] { image.map(\.name).sorted() }
    package func kind(of path: String) throws(FileSystemError) -> FileKind? {
        if path == "/store" { return .directory }
        return file(path) == nil ? nil : .file
    }
    package func lock(_ path: String) throws(FileSystemError) -> any FileLock { FrozenLock() }
    package func syncDirectory(_ path: String) throws(FileSystemError) {}
    package func randomUInt64() -> UInt64 { 4 }

    package func rename(_ path: String, to newPath: String) throws(FileSystemError) { violated("\(path) was renamed") }
    package func remove(_ path: String) throws(FileSystemError) { violated("\(path) was removed") }
    package func createDirectory(_ path: String) throws(FileSystemError) { violated("\(path) was made") }

    private final class FrozenLock: FileLock {
        func unlock() {}
    }
}
