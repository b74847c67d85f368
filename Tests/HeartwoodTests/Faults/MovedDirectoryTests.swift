import Foundation
import Heartwood
import HeartwoodFileSystem
import Testing

/// An open store is bound to its directory. Neither another working directory nor another directory under its name
/// leads it elsewhere.
@Suite struct MovedDirectoryTests {
    /// Two directories, each with a store `app.store`.
    private struct Places {
        let directory = TemporaryDirectory()
        var here: String { directory.path("here") }
        var there: String { directory.path("there") }
        var own: String { here + "/app.store" }
        var other: String { there + "/app.store" }
        /// What the other store's files are.
        private(set) var image: [String: [UInt8]] = [:]

        init() async throws {
            try FileManager.default.createDirectory(atPath: here, withIntermediateDirectories: false)
            try FileManager.default.createDirectory(atPath: there, withIntermediateDirectories: false)
            let store = try await Store.open(at: other, configuration: configuration)
            for number in 0..<50 { try await store.put("other/\(number)", "of the other store", durability: .buffered) }
            try await store.close()
            image = try Self.files(of: other)
        }

        private static func files(of path: String) throws -> [String: [UInt8]] {
            try FileImage(of: POSIXFileSystem(), path, everything: true).files
        }

        func expectOtherUntouched(_ location: SourceLocation = #_sourceLocation) throws {
            try expectUntouched(other, location)
        }

        func expectUntouched(_ path: String, _ location: SourceLocation = #_sourceLocation) throws {
            #expect(try Self.files(of: path) == image, sourceLocation: location)
        }
    }

    /// Small segments, so that a few writes rotate.
    private static var configuration: Store.Configuration {
        var configuration = Store.Configuration()
        configuration.segmentBytes = 16 << 10
        configuration.compaction = .manual
        return configuration
    }

    private static let value = [UInt8](repeating: 7, count: 1_500)

    private static func expectAll(_ numbers: Range<Int>, at path: String) async throws {
        let store = try await Store.open(at: path, configuration: configuration)
        #expect(try store.scan().keys.count { $0.starts(with: Array("own/".utf8)) } == numbers.count)
        for number in numbers { #expect(try store.get("own/\(number)") == value) }
        #expect(try store.get("other/1") == nil)
        try await store.close()
    }

    private static func fill(_ store: Store, _ numbers: Range<Int>) async throws {
        for number in numbers { try await store.put("own/\(number)", value) }
    }

    /// Everything that an open store does after the process has changed its working directory.
    @Test func aStoreOfARelativePathStaysWhereItIs() async {
        await #expect(processExitsWith: .success) {
            let places = try await Places()
            #expect(chdir(places.here) == 0)
            let store = try await Store.open(at: "app.store", configuration: Self.configuration)
            try await store.put("own/0", Self.value)
            var feed = store.changes(after: ChangePosition(store: store.id, sequence: 0)).makeAsyncIterator()
            #expect(chdir(places.there) == 0)
            try await Self.fill(store, 1..<60)
            #expect(store.statistics.rotations > 3)
            for number in 0..<60 { #expect(try await feed.next()?.key == Array("own/\(number)".utf8)) }
            let following = try await store.follow()
            try await store.compact()
            try await Self.fill(store, 60..<90)
            #expect(try following.view.scan(.prefix("own/")).count() == 60)
            var changes = following.changes.makeAsyncIterator()
            #expect(try await changes.next()?.key == Array("own/60".utf8))
            let refusal = await #expect(throws: StoreError.self) { try await Store.open(at: places.own) }
            #expect(refusal?.code == .locked)
            try await store.close()
            try places.expectOtherUntouched()
            try await Self.expectAll(0..<90, at: places.own)
        }
    }

    @Test func aStoreOfARelativePathThatIsReleasedStaysWhereItIs() async {
        await #expect(processExitsWith: .success) {
            let places = try await Places()
            #expect(chdir(places.here) == 0)
            var store: Store? = try await Store.open(at: "app.store", configuration: Self.configuration)
            #expect(chdir(places.there) == 0)
            try await Self.fill(#require(store), 0..<30)
            store = nil
            try places.expectOtherUntouched()
            try await Self.expectAll(0..<30, at: places.own)
        }
    }

    /// With nothing at the new place.
    @Test func aStoreOfARelativePathNeedsNothingThere() async {
        await #expect(processExitsWith: .success) {
            let places = try await Places()
            #expect(chdir(places.here) == 0)
            let store = try await Store.open(at: "./app.store/", configuration: Self.configuration)
            #expect(chdir("/") == 0)
            try await Self.fill(store, 0..<60)
            try await store.compact()
            try await store.close()
            try await Self.expectAll(0..<60, at: places.own)
            #expect(!FileManager.default.fileExists(atPath: "/app.store"))
        }
    }

    @Test func aReaderOfARelativePathStaysWhereItIs() async {
        await #expect(processExitsWith: .success) {
            let places = try await Places()
            let store = try await Store.open(at: places.own, configuration: Self.configuration)
            try await Self.fill(store, 0..<10)
            #expect(chdir(places.here) == 0)
            let reader = try await ReadOnlyStore.open(at: "app.store", level: .visible)
            #expect(chdir(places.there) == 0)
            try await Self.fill(store, 10..<50)
            var feed = reader.changes().makeAsyncIterator()
            try await reader.refresh()
            #expect(try reader.readView().scan().count() == 50)
            #expect(try await feed.next()?.key == Array("own/10".utf8))
            // Its files are replaced: it reads all of them again.
            try await store.compact()
            #expect(try await reader.refresh().isReadAgain)
            #expect(try reader.readView().scan().count() == 50 && reader.id == store.id)
            reader.close()
            try await store.close()
        }
    }

    /// The writes go on in the moved directory, and none gets into the store that has taken the name.
    @Test func aStoreFollowsItsDirectory() async throws {
        let places = try await Places()
        let (moved, path) = (places.here + "/moved", places.own)
        let store = try await Store.open(at: path, configuration: Self.configuration)
        try await Self.fill(store, 0..<20)
        let reader = try await ReadOnlyStore.open(at: path, level: .visible)
        let fileSystem = POSIXFileSystem()
        try fileSystem.rename(path, to: moved)
        try fileSystem.rename(places.other, to: path)
        try await Self.fill(store, 20..<60)
        try await store.compact()
        try await Self.fill(store, 60..<90)
        try await reader.refresh()
        #expect(try reader.readView().scan().count() == 90)
        try await store.close()
        try places.expectUntouched(path)
        try await Self.expectAll(0..<90, at: moved)
    }

    /// The directory above is moved, or a symbolic link on the way leads elsewhere.
    @Test(arguments: [false, true])
    func aStoreStaysWhenTheWayToItChanges(isLink: Bool) async throws {
        let places = try await Places()
        let (way, fileSystem) = (places.here + "-way", POSIXFileSystem())
        if isLink {
            try FileManager.default.createSymbolicLink(atPath: way, withDestinationPath: places.here)
        } else {
            try fileSystem.rename(places.here, to: way)
        }
        let store = try await Store.open(at: way + "/app.store", configuration: Self.configuration)
        try await Self.fill(store, 0..<20)
        if isLink { try fileSystem.remove(way) } else { try fileSystem.rename(way, to: places.here) }
        try FileManager.default.createSymbolicLink(atPath: way, withDestinationPath: places.there)
        defer { try? fileSystem.remove(way) }
        try await Self.fill(store, 20..<60)
        try await store.compact()
        try await store.close()
        try places.expectOtherUntouched()
        try await Self.expectAll(0..<60, at: places.own)
    }

    /// What is deleted is still noticed, however the path was given.
    @Test func aDeletedDirectoryIsNoticed() async {
        await #expect(processExitsWith: .success) {
            let places = try await Places()
            #expect(chdir(places.here) == 0)
            let store = try await Store.open(at: "app.store", configuration: Self.configuration)
            try await Self.fill(store, 0..<20)
            #expect(chdir(places.there) == 0)
            try FileManager.default.removeItem(atPath: places.own)
            let refusal = await #expect(throws: StoreError.self) { try await store.put("own/20", Self.value) }
            // The sync in the background may have noticed it.
            #expect(refusal?.code == .outcomeUnknown || refusal?.code == .failed)
            await expectError(.failed) { try await store.close() }
            try places.expectOtherUntouched()
        }
    }

    /// A closed store holds nothing of its directory, so that its file system can be unmounted. A feed that has begun
    /// holds the directory until it has ended.
    @Test func aClosedStoreHoldsNothing() async throws {
        let places = try await Places()
        func held() throws -> Int { try places.directory.descriptors(of: "here/app.store").count }
        let store = try await Store.open(at: places.own, configuration: Self.configuration)
        try await Self.fill(store, 0..<40)
        #expect(try held() > 3)
        var feed: Changes.AsyncIterator? = store.changes(after: ChangePosition(store: store.id, sequence: 0))
            .makeAsyncIterator()
        try await store.close()
        #expect(try held() == 1)
        for number in 0..<40 { #expect(try await feed?.next()?.key == Array("own/\(number)".utf8)) }
        #expect(try await feed?.next() == nil)
        feed = nil
        // The thread that has read its last page may still have it.
        while try held() > 0 { await Task.yield() }
        var late = store.changes().makeAsyncIterator()
        await expectError(.closed) { _ = try await late.next() }

        let reader = try await ReadOnlyStore.open(at: places.own)
        #expect(try held() > 3)
        reader.close()
        #expect(try held() == 0)
        withExtendedLifetime((store, reader)) {}
    }
}
