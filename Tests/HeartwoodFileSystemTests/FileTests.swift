import Foundation
import HeartwoodConcurrency
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

/// The behaviour of open files, the same in every file system.
@Suite struct FileTests {
    @Test(arguments: Implementation.allCases)
    func readsEndWithTheFile(implementation: Implementation) throws {
        try withFile(implementation) { file in
            try file.write("0123456789")
            #expect(try file.bytes(4, at: 3) == Array("3456".utf8))
            #expect(try file.bytes(100, at: 8) == Array("89".utf8))
            #expect(try file.bytes(1, at: 10).isEmpty)
            #expect(try file.bytes(1, at: 1 << 40).isEmpty)
            #expect(try file.bytes(0).isEmpty)
        }
    }

    /// A read that doesn't wait returns what the other read returns, or nil.
    @Test(arguments: Implementation.allCases)
    func readsWithoutWaiting(implementation: Implementation) throws {
        try withFile(implementation) { file in
            try file.write("0123456789")
            // The system may refuse, depending on the file system of the test's directory.
            let mayRefuse = implementation == .posix
            func expect(_ count: Int, at offset: UInt64, reads bytes: String) throws {
                var buffer = [UInt8](repeating: 0xEE, count: count)
                let read = try buffer.withUnsafeMutableBytes { try file.readNow(into: $0, at: offset) }
                guard let read else { return #expect(mayRefuse) }
                #expect(Array(buffer[..<read]) == Array(bytes.utf8))
            }
            try expect(4, at: 3, reads: "3456")
            try expect(100, at: 8, reads: "89")
            try expect(1, at: 10, reads: "")
            try expect(1, at: 1 << 40, reads: "")
            try file.close()
            expectError(EBADF, .read) { try expect(4, at: 3, reads: "3456") }
        }
    }

    @Test(arguments: Implementation.allCases)
    func gapsReadAsZeros(implementation: Implementation) throws {
        try withFile(implementation) { file in
            try file.write("x", at: 200_000)
            #expect(try file.size() == 200_001)
            #expect(try file.bytes(200_000).allSatisfy { $0 == 0 })
            try file.write([UInt8](repeating: 0, count: 100), at: 300_000)
            #expect(try file.size() == 300_100)
            #expect(try file.bytes(100_099, at: 200_001) == [UInt8](repeating: 0, count: 100_099))
        }
    }

    /// Every byte that isn't zero lies in a part that `nextData` reports, and the parts end with the file.
    @Test(arguments: Implementation.allCases)
    func whatIsWrittenExists(implementation: Implementation) throws {
        try withFile(implementation) { file in
            #expect(try file.nextData(from: 0) == nil)
            let offsets: [UInt64] = [0, 500_000, 500_001, 3_000_000]
            for offset in offsets { try file.write("x", at: offset) }
            try file.truncate(to: 1 << 22)
            for offset in offsets {
                #expect(try file.nextData(from: offset)?.contains(offset) == true)
                #expect(try file.nextData(from: offset - min(offset, 3)).map { $0.lowerBound <= offset } == true)
            }
            var parts: [Range<UInt64>] = []
            while let part = try file.nextData(from: parts.last?.upperBound ?? 0) {
                #expect(part.lowerBound >= parts.last?.upperBound ?? 0 && part.upperBound <= 1 << 22)
                parts.append(part)
            }
            #expect(offsets.allSatisfy { offset in parts.contains { $0.contains(offset) } })
            #expect(try file.nextData(from: 1 << 22) == nil)
            #expect(try file.nextData(from: 1 << 30) == nil)
        }
    }

    /// In file systems that know holes, a file of holes has no parts, and a single byte makes one small part.
    @Test(arguments: [Implementation.posix, .memory])
    func holesDoNotExist(implementation: Implementation) throws {
        try withFile(implementation) { file in
            try file.truncate(to: 1 << 40)
            #expect(try file.nextData(from: 0) == nil)
            try file.write("x", at: 1 << 39)
            let part = try #require(try file.nextData(from: 0))
            #expect(part.contains(1 << 39) && part.count <= 1 << 20)
            #expect(try file.nextData(from: part.upperBound) == nil)
        }
    }

    @Test(arguments: Implementation.allCases)
    func manyPiecesMakeOneFile(implementation: Implementation) throws {
        try withFile(implementation) { file in
            var model = [UInt8](repeating: 0, count: 400_000)
            var random = SeededRandom(7)
            for step in 1...300 {
                let offset = Int.random(in: 0..<399_000, using: &random)
                let count = Int.random(in: 1...min(70_000, 400_000 - offset), using: &random)
                let piece = [UInt8](repeating: UInt8(step % 5), count: count)
                try file.write(piece, at: UInt64(offset))
                model.replaceSubrange(offset..<(offset + count), with: piece)
            }
            let size = Int(try file.size())
            #expect(try file.bytes(size) == Array(model[..<size]))
        }
    }

    @Test(arguments: Implementation.allCases)
    func truncatesAndExtends(implementation: Implementation) throws {
        try withFile(implementation) { file in
            try file.write([UInt8](repeating: 1, count: 200_000))
            for size in [150_000, 65_536, 10, 0] as [UInt64] {
                try file.truncate(to: size)
                #expect(try file.size() == size)
                try file.truncate(to: 200_000)
                let bytes = try file.bytes(200_000)
                #expect(bytes[..<Int(size)].allSatisfy { $0 == 1 })
                #expect(bytes[Int(size)...].allSatisfy { $0 == 0 })
            }
        }
    }

    @Test(arguments: Implementation.allCases)
    func allocationExtendsAndKeeps(implementation: Implementation) throws {
        try withFile(implementation) { file in
            try file.write("kept")
            try file.allocateFully(1 << 20, at: 0)
            #expect(try file.size() == 1 << 20)
            #expect(try file.bytes(8) == Array("kept".utf8) + [0, 0, 0, 0])
            try file.allocateFully(100, at: 0)
            try file.allocateFully(0, at: 1 << 30)
            #expect(try file.size() == 1 << 20)
            try file.allocateFully(4096, at: 2 << 20)
            #expect(try file.size() == (2 << 20) + 4096)
        }
    }

    @Test(arguments: Implementation.allCases)
    func syncs(implementation: Implementation) throws {
        try withFile(implementation) { file in
            try file.write("x")
            try file.sync(.data)
            try file.sync(.full)
        }
    }

    @Test(arguments: Implementation.allCases)
    func refusesHostileOffsets(implementation: Implementation) throws {
        try withFile(implementation) { file in
            try file.write("x")
            for offset in [UInt64(Int64.max) + 1, .max] {
                expectError(EINVAL, .read) { _ = try file.bytes(1, at: offset) }
                expectError(EINVAL, .write) { try file.write("x", at: offset) }
                expectError(EINVAL, .truncate) { try file.truncate(to: offset) }
                expectError(EFBIG, .allocate) { try file.allocate(1, at: offset) }
            }
            expectError(EFBIG, .allocate) { try file.allocate(.max, at: 1) }
            expectError(EFBIG, .allocate) { try file.allocateFully(.max, at: 1) }
            #expect(try file.size() == 1)
        }
    }

    @Test(arguments: Implementation.allCases)
    func readersDoNotWrite(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            _ = try fileSystem.openFile(directory + "/f", for: .create)
            let file = try fileSystem.openFile(directory + "/f", for: .read)
            expectError(EBADF, .write) { try file.write("x") }
            expectError(EINVAL, .truncate) { try file.truncate(to: 1) }
        }
    }

    @Test(arguments: Implementation.allCases)
    func isClosedOnce(implementation: Implementation) throws {
        try withFile(implementation) { file in
            try file.write("x")
            try file.close()
            try file.close()
            expectError(EBADF, .read) { _ = try file.bytes(1) }
            expectError(EBADF, .write) { try file.write("x") }
            expectError(EBADF, .status) { _ = try file.size() }
            expectError(EBADF, .allocate) { try file.allocate(1, at: 0) }
            expectError(EBADF, .truncate) { try file.truncate(to: 0) }
            expectError(EBADF, .sync) { try file.sync(.data) }
        }
    }

    /// While some threads read, another closes the file and opens the next one, which gets the same descriptor. A read
    /// returns the bytes of its own file or fails with EBADF.
    @Test(arguments: Implementation.allCases)
    func closingNeverShowsAnotherFile(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            for name in ["a", "b"] {
                try fileSystem.openFile(directory + "/" + name, for: .create)
                    .write([UInt8](repeating: name.utf8.first!, count: 4096))
            }
            let current = Locked<(any File)?>(nil)
            let wrongReads = Locked(0)
            let isOver = Locked(false)
            let readers = try (0..<4).map { index in
                try startThread(name: "reader \(index)") {
                    while !isOver.withLock({ $0 }) {
                        guard let file = current.withLock({ $0 }) else { continue }
                        let expected = file.path.utf8.last!
                        do {
                            let bytes = try file.bytes(4096)
                            if bytes != [UInt8](repeating: expected, count: 4096) { wrongReads.withLock { $0 += 1 } }
                        } catch {
                            if (error as? FileSystemError)?.code != EBADF { wrongReads.withLock { $0 += 1 } }
                        }
                    }
                }
            }
            for round in 0..<2000 {
                let file = try fileSystem.openFile(directory + (round % 2 == 0 ? "/a" : "/b"), for: .read)
                current.withLock { $0 = file }
                if round % 8 == 0 { sched_yield() }
                try file.close()
            }
            isOver.withLock { $0 = true }
            for reader in readers { reader.join() }
            #expect(wrongReads.withLock { $0 } == 0)
        }
    }

    @Test(arguments: Implementation.allCases)
    func manyThreadsUseOneFile(implementation: Implementation) throws {
        try withFile(implementation) { file in
            let failures = Locked(0)
            let threads = try (0..<4).map { index in
                try startThread(name: "user \(index)") {
                    let block = [UInt8](repeating: UInt8(index + 1), count: 5000)
                    for round in 0..<200 {
                        let offset = UInt64((round * 4 + index) * block.count)
                        do {
                            try file.write(block, at: offset)
                            if try file.bytes(block.count, at: offset) != block { failures.withLock { $0 += 1 } }
                        } catch {
                            failures.withLock { $0 += 1 }
                        }
                    }
                }
            }
            for thread in threads { thread.join() }
            #expect(failures.withLock { $0 } == 0)
            #expect(try file.size() == 4 * 200 * 5000)
        }
    }

    private func withFile(_ implementation: Implementation, _ body: (any File) throws -> Void) throws {
        try implementation.withDirectory { fileSystem, directory in
            try body(try fileSystem.openFile(directory + "/file", for: .create))
        }
    }
}
