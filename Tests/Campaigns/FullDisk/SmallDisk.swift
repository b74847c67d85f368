internal import Foundation
internal import HeartwoodFileSystem

/// This machine does not permit a file system.
struct NotPermitted: Error {
    let reason: String
}

/// A small file system that is mounted until `unmount`.
struct SmallDisk {
    enum Kind: String, CaseIterable {
        /// In memory. A failed `fallocate` frees what it had allocated.
        case tmpfs
        /// In a file. A failed `fallocate` keeps what it has allocated.
        case ext4
        /// In memory, with few inodes and many bytes: creating a file fails first.
        case inodes
    }

    let kind: Kind
    /// The mount point.
    let path: String
    private let image: String?
    /// The number of inodes of the kind `inodes`.
    static let inodes = 64

    /// Makes and mounts one.
    ///
    /// - Throws: `NotPermitted`.
    init(_ kind: Kind, megabytes: Int, in directory: String) throws {
        self.kind = kind
        path = directory + "/disk"
        let fileSystem = POSIXFileSystem()
        if try fileSystem.kind(of: path) == nil { try fileSystem.createDirectory(path) }
        switch kind {
        case .tmpfs:
            image = nil
            try Self.run(["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "heartwood", path])
        case .inodes:
            image = nil
            try Self.run([
                "mount", "-t", "tmpfs", "-o", "size=\(4 * megabytes)m,nr_inodes=\(Self.inodes)", "heartwood", path,
            ])
        case .ext4:
            let image = directory + "/image"
            self.image = image
            let file = try fileSystem.openFile(image, for: .create)
            try file.truncate(to: UInt64(megabytes) << 20)
            try file.close()
            do {
                try Self.run(["mkfs.ext4", "-q", "-F", "-m", "0", image])
                try Self.run(["mount", "-o", "loop", image, path])
            } catch {
                try? fileSystem.remove(image)
                throw error
            }
        }
    }

    /// Unmounts it. It exists until its last open file is closed.
    func unmount() {
        if let complaint = Program.run(["umount", "-l", path]) { say("  not unmounted: \(complaint)") }
        if let image { try? POSIXFileSystem().remove(image) }
    }

    /// Bytes that can still be written.
    var freeBytes: Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return 0 }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    private static func run(_ arguments: [String]) throws {
        if let complaint = Program.run(arguments) { throw NotPermitted(reason: complaint) }
    }
}

/// Files that occupy the free space, and can be removed.
struct Ballast {
    private let disk: SmallDisk
    private let name: String
    private let fileSystem = POSIXFileSystem()
    /// Its files; names are not reused.
    private var paths: [String] = []
    private var made = 0

    init(on disk: SmallDisk, named name: String = "ballast") {
        self.disk = disk
        self.name = name
    }

    /// Occupies a part of the free space.
    mutating func take(oneOf parts: Int) throws {
        if disk.kind == .inodes {
            for _ in 0..<(SmallDisk.inodes / parts) { try makeFile { _ in } }
        } else {
            let bytes = UInt64(disk.freeBytes / parts)
            try makeFile { try $0.zero(from: 0, count: bytes) }
        }
    }

    /// Occupies all of the free space.
    mutating func takeAll() throws {
        do {
            // The loop also ends when no file can be created.
            while disk.kind == .inodes || disk.freeBytes > 0 {
                let isScarceOfBytes = disk.kind != .inodes
                try makeFile { file in
                    if isScarceOfBytes { try Self.fillUp(file) }
                }
            }
        } catch let error as FileSystemError where error.isOutOfSpace {
            return
        }
    }

    /// Writes until nothing more fits, in smaller and smaller pieces.
    private static func fillUp(_ file: any File) throws {
        var end: UInt64 = 0
        for piece in [UInt64(256 << 10), 4096, 512] {
            while (try? file.zero(from: end, count: piece)) != nil { end += piece }
        }
        try file.sync(.full)
        guard end > 0 else { throw FileSystemError(operation: .write, path: file.path, code: ENOSPC) }
    }

    /// Removes all files.
    mutating func remove() throws {
        while let path = paths.popLast() { try fileSystem.remove(path) }
    }

    /// Takes over the files of another ballast.
    mutating func takeOver(_ other: inout Ballast) {
        paths += other.paths
        other.paths = []
    }

    private mutating func makeFile(_ fill: (any File) throws -> Void) throws {
        let path = "\(disk.path)/\(name)-\(made)"
        let file = try fileSystem.openFile(path, for: .create)
        made += 1
        paths.append(path)
        defer { try? file.close() }
        try fill(file)
    }
}
