internal import Foundation
internal import HeartwoodFileSystem
internal import Testing

@testable internal import heartwood_tool

/// The real file system, with little free space, or without permission to write.
private struct PoorFileSystem: FileSystem {
    var free: UInt64 = .max
    var refusal: Int32?
    private let system = POSIXFileSystem()

    init(free: UInt64 = .max, refusal: Int32? = nil) { (self.free, self.refusal) = (free, refusal) }

    func availableBytes(at path: String) -> UInt64? { free }
    func createDirectory(_ path: String) throws(FileSystemError) {
        if let refusal { throw FileSystemError(operation: .createDirectory, path: path, code: refusal) }
        try system.createDirectory(path)
    }
    func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        try system.openFile(path, for: access)
    }
    func rename(_ path: String, to newPath: String) throws(FileSystemError) { try system.rename(path, to: newPath) }
    func remove(_ path: String) throws(FileSystemError) { try system.remove(path) }
    func contents(ofDirectory path: String) throws(FileSystemError) -> [String] {
        try system.contents(ofDirectory: path)
    }
    func syncDirectory(_ path: String) throws(FileSystemError) { try system.syncDirectory(path) }
    func kind(of path: String) throws(FileSystemError) -> FileKind? { try system.kind(of: path) }
    func lock(_ path: String) throws(FileSystemError) -> any FileLock { try system.lock(path) }
}

@Suite("bench: the directory that it measures in")
struct BenchDirectoryTests {
    private let sandbox: Sandbox
    private var parent: String { sandbox.directory.path }

    init() throws { sandbox = try Sandbox() }

    private func names() throws -> [String] { try POSIXFileSystem().contents(ofDirectory: parent) }

    private func refusal(in parent: String, need: UInt64, _ fileSystem: PoorFileSystem) -> Failure? {
        #expect(throws: Failure.self) { try BenchDirectory(in: parent, need: need, fileSystem: fileSystem) }
    }

    @Test("its directory is removed with its contents, without following links, and nothing else")
    func removal() async throws {
        try sandbox.write("mine", to: "beside")
        let before = try names()
        let directory = try BenchDirectory(in: parent + "/", need: 1)
        #expect(try names().count == before.count + 1)
        #expect(directory.path.hasPrefix(parent + "/heartwood-bench-"))
        let outcome = try await sandbox.shell(
            "cd '\(directory.path)' && mkdir -p a/b c && touch a/b/file c/file && ln -s .. a/up && "
                + "ln -s '\(parent)' out"
        )
        #expect(outcome.code == 0, "\(outcome.error)")
        try directory.remove("c")
        try directory.remove("c")
        #expect(try POSIXFileSystem().contents(ofDirectory: directory.path) == ["a", "out"])
        try directory.removeAll()
        #expect(try names() == before)
        #expect(try await sandbox.shell("cat beside").output == "mine")
    }

    @Test("too little space is 74, with how much is free and how much it takes")
    func space() throws {
        let before = try names()
        let failure = try #require(refusal(in: parent, need: 2 << 20, PoorFileSystem(free: 1 << 20)))
        #expect(failure.status == .inputOutput)
        #expect(failure.message.contains("1.0 MiB") && failure.message.contains("2.0 MiB"))
        #expect(try names() == before)
        try BenchDirectory(in: parent, need: 2 << 20, fileSystem: PoorFileSystem(free: 2 << 20)).removeAll()
    }

    @Test("a directory that may not be written to is 77", arguments: [ErrorNumber.EACCES, ErrorNumber.EROFS])
    func permission(code: Int32) throws {
        let failure = try #require(refusal(in: parent, need: 1, PoorFileSystem(refusal: code)))
        #expect(failure.status == .permission)
    }

    @Test("the file system is that of the longest mount point, and the last of those")
    func fileSystem() {
        let mounts = [
            "sysfs /sys sysfs rw,nosuid 0 0", "/dev/nvme0n1p2 / ext4 rw,relatime 0 0",
            "tmpfs /run tmpfs rw,size=1g 0 0",
            "/dev/a /run/my\\040disk ext3 rw 0 0", "/dev/b /run/my\\040disk xfs rw 0 0", "broken",
        ]
        for (path, kind, device) in [
            ("/", "ext4", "/dev/nvme0n1p2"), ("/home/x", "ext4", "/dev/nvme0n1p2"), ("/runs", "ext4", "/dev/nvme0n1p2"),
            ("/run", "tmpfs", "tmpfs"), ("/run/x", "tmpfs", "tmpfs"), ("/run/my disk/x", "xfs", "/dev/b"),
        ] {
            let found = MountedFileSystem.find(path, in: mounts)
            #expect(found?.kind == kind && found?.device == device, "\(path)")
        }
        #expect(MountedFileSystem.find("/x", in: ["tmpfs /run tmpfs rw 0 0"]) == nil)
        #expect(MountedFileSystem(of: parent) != nil)
    }
}
