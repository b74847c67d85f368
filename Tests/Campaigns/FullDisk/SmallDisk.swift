internal import HeartwoodFileSystem

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Why a file system can't be had here.
struct NotPermitted: Error {
    let reason: String
}

/// A small file system of its own, mounted until `unmount`.
struct SmallDisk {
    enum Kind: String, CaseIterable {
        /// In memory. A refused `fallocate` takes back what it had taken.
        case tmpfs
        /// In a file. A refused `fallocate` keeps what it has taken.
        case ext4
        /// In memory, with room for few files and many bytes: what fails is making a file.
        case inodes
    }

    let kind: Kind
    /// Where it is mounted.
    let path: String
    private let image: String?
    /// How many files it has room for, where that is what is scarce.
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

    /// Gives it back. What still has a file of it open keeps it until it lets go.
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

/// Files that take all the room that is left, and give it back.
struct Ballast {
    private let disk: SmallDisk
    private let name: String
    private let fileSystem = POSIXFileSystem()
    /// Its files; the names go on.
    private var paths: [String] = []
    private var made = 0

    init(on disk: SmallDisk, named name: String = "ballast") {
        self.disk = disk
        self.name = name
    }

    /// Takes a part of it.
    mutating func take(oneOf parts: Int) throws {
        if disk.kind == .inodes {
            for _ in 0..<(SmallDisk.inodes / parts) { try makeFile { _ in } }
        } else {
            let bytes = UInt64(disk.freeBytes / parts)
            try makeFile { try $0.zero(from: 0, count: bytes) }
        }
    }

    /// Takes whatever there is.
    mutating func takeAll() throws {
        do {
            // A file that can't be made means that nothing is left either.
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

    /// Writes until nothing more fits, the last bytes block by block.
    private static func fillUp(_ file: any File) throws {
        var end: UInt64 = 0
        for piece in [UInt64(256 << 10), 4096, 512] {
            while (try? file.zero(from: end, count: piece)) != nil { end += piece }
        }
        try file.sync(.full)
        guard end > 0 else { throw FileSystemError(operation: .write, path: file.path, code: ENOSPC) }
    }

    /// Gives all of it back.
    mutating func give() throws {
        while let path = paths.popLast() { try fileSystem.remove(path) }
    }

    /// Has what the other one has from now on, too.
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
