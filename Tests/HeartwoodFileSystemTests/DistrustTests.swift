import Foundation
import Testing

@testable import HeartwoodFileSystem

@Suite struct DistrustTests {
    private let fileSystem = POSIXFileSystem()

    /// Users: 0 is root, 7 and 8 are others.
    @Test(
        arguments: [
            // The owner itself, and root.
            (7, 7, 0o700, 7, 7, nil), (0, 0, 0o755, 0, 7, nil), (0, 0, 0o700, 0, 0, nil), (7, 100, 0o750, 7, 7, nil),
            // Another user, unless root works in that user's directory.
            (8, 7, 0o700, 7, 7, .owner(8)), (8, 8, 0o700, 8, 7, .owner(8)), (8, 8, 0o700, 8, 0, nil),
            (8, 8, 0o600, 0, 0, .owner(8)), (8, 8, 0o600, 7, 0, .owner(8)), (0, 0, 0o600, 7, 0, nil),
            // Groups: the user's own, root's, and one of many.
            (7, 7, 0o775, 7, 7, nil), (0, 7, 0o2775, 0, 7, nil), (0, 0, 0o770, 0, 7, nil), (8, 8, 0o770, 8, 0, nil),
            (7, 100, 0o770, 7, 7, .writableByOthers), (0, 100, 0o770, 0, 7, .writableByOthers),
            (8, 100, 0o770, 8, 0, .writableByOthers), (7, 8, 0o770, 7, 7, .writableByOthers),
            // Everybody, also where a sticky bit keeps them from removing what isn't theirs.
            (7, 7, 0o777, 7, 7, .writableByOthers), (0, 0, 0o1777, 0, 0, .writableByOthers),
            (7, 7, 0o602, 7, 7, .writableByOthers),
        ] as [(UInt32, UInt32, UInt32, UInt32, UInt32, Distrust?)])
    func isJudged(
        _ owner: UInt32, _ group: UInt32, _ mode: UInt32, _ directory: UInt32, _ user: UInt32, _ expected: Distrust?
    ) {
        #expect(Distrust(owner: owner, group: group, mode: mode, directory: directory, user: user) == expected)
    }

    @Test func noLinkIsFollowedInABoundDirectory() throws {
        try withTemporaryDirectory { directory in
            let (store, victim) = (directory + "/store", directory + "/victim")
            try fileSystem.createDirectory(store)
            try fileSystem.openFile(victim, for: .create).write("precious")
            let bound = try fileSystem.bound(to: store)
            for (name, target) in [("link", victim), ("dangling", "nowhere"), ("circle", "circle")] {
                #expect(symlink(target, "\(store)/\(name)") == 0)
                #expect(try bound.kind(of: "\(store)/\(name)") == .symbolicLink)
                for access in [FileAccess.read, .readWrite] {
                    let error = expectError(ELOOP, .open) { _ = try bound.openFile("\(store)/\(name)", for: access) }
                    #expect(error?.distrust == .symbolicLink && error?.isPermission == true)
                }
                expectError(EEXIST, .open) { _ = try bound.openFile("\(store)/\(name)", for: .create) }
                let error = expectError(ELOOP, .lock) { _ = try bound.lock("\(store)/\(name)") }
                #expect(error?.distrust == .symbolicLink)
                let distrust = expectError(ELOOP, .status) { try bound.checkTrust(in: "\(store)/\(name)") }
                #expect(distrust?.distrust == .symbolicLink)
            }
            #expect(symlink(directory, store + "/way") == 0)
            #expect(throws: FileSystemError.self) { try bound.contents(ofDirectory: store + "/way") }
            #expect(try fileSystem.openFile(victim, for: .read).text() == "precious")
        }
    }

    @Test func noFileWithASecondNameIsWritten() throws {
        try withTemporaryDirectory { directory in
            let (one, two) = (directory + "/one", directory + "/two")
            try fileSystem.openFile(one, for: .create).write("precious")
            #expect(link(one, two) == 0)
            let error = expectError(EMLINK, .open) { _ = try fileSystem.openFile(two, for: .readWrite) }
            #expect(error?.distrust == .severalNames)
            expectError(EMLINK, .lock) { _ = try fileSystem.lock(two) }
            #expect(try fileSystem.openFile(two, for: .read).text() == "precious")
            try fileSystem.remove(one)
            try fileSystem.openFile(two, for: .readWrite).write("changed.")
            try fileSystem.lock(two).unlock()
        }
    }

    /// Only root can give files away.
    @Test(.enabled(if: geteuid() == 0)) func rootLeavesTheOwnerItsFiles() throws {
        try withTemporaryDirectory { directory in
            let store = directory + "/store"
            try fileSystem.createDirectory(store)
            #expect(chown(store, 4711, 4712) == 0)
            let bound = try fileSystem.bound(to: store)
            try bound.checkTrust(in: store)
            _ = try bound.openFile(store + "/file", for: .create)
            try bound.createDirectory(store + "/directory")
            try bound.lock(store + "/LOCK").unlock()
            for name in ["file", "directory", "LOCK"] {
                let found = try status(store + "/" + name)
                #expect(found.st_uid == 4711 && found.st_gid == 4712, "\(name)")
                try bound.checkTrust(in: store + "/" + name)
            }
            #expect(chown(store + "/file", 4713, 4713) == 0)
            let error = expectError(EPERM, .status) { try bound.checkTrust(in: store + "/file") }
            #expect(error?.distrust == .owner(4713))
            _ = try fileSystem.openFile(directory + "/beside", for: .create)
            #expect(try status(directory + "/beside").st_uid == 0)
        }
    }
}
